import type { FastifyInstance } from 'fastify';
import { providersRoutes } from '../../contract/providers.ts';
import type { App } from '../../core/app.ts';
import { addressOf } from '../credentials.ts';
import { type Context, implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

const changerOf = ({ caller, request }: Context) => ({ userId: caller.userId, address: addressOf(request) });

export function registerProviders(
  server: FastifyInstance,
  { modelProviders }: Pick<App, 'modelProviders'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    providersRoutes,
    {
      list: () => modelProviders.list(),
      listModels: ({ params }) => modelProviders.modelsOf(params.type),
      configure: async ({ params, body }, context) => ({
        provider: await modelProviders.configure(params.type, body, changerOf(context)),
      }),
      checkHealth: ({ params }) => modelProviders.health(params.type),
      setDefault: async ({ body }, context) => ({
        default: await modelProviders.setDefault(body, changerOf(context)),
      }),
    },
    check,
  );
}
