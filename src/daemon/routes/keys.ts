import type { FastifyInstance } from 'fastify';
import { keysRoutes } from '../../contract/keys.ts';
import type { App } from '../../core/app.ts';
import { clientOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerKeys(
  server: FastifyInstance,
  { signingKeys }: Pick<App, 'signingKeys'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    keysRoutes,
    {
      list: async ({ query }, { caller }) => pageOf('keys', await signingKeys.list(caller), query),
      register: async ({ body }, { caller, request }) => ({
        key: await signingKeys.register(caller, body, clientOf(request)),
      }),
      remove: async ({ params }, { caller, request }) => {
        await signingKeys.remove(caller, params.id, clientOf(request));
        return { message: 'Signing key removed' };
      },
    },
    check,
  );
}
