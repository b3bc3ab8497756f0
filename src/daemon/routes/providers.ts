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
      listModels: async ({ params }) => {
        const { models, source } = await modelProviders.modelsOf(params.type);
        return { models, source };
      },
      configure: async ({ params, body }, context) => ({
        provider: await modelProviders.configure(params.type, body, changerOf(context)),
      }),
      add: async ({ body }, context) => ({ provider: await modelProviders.add(body, changerOf(context)) }),
      remove: async ({ params, query }, context) => {
        const warnings = await modelProviders.remove(params.type, changerOf(context), query.force);
        return { message: 'Provider removed', ...(warnings.length > 0 && { warnings }) };
      },
      checkHealth: ({ params }) => modelProviders.check(params.type),
      setDefault: ({ body }, context) => modelProviders.setDefault(body, changerOf(context)),
    },
    check,
  );
}
