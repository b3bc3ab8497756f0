import type { FastifyInstance } from 'fastify';
import { tokensRoutes } from '../../contract/tokens.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerTokens(
  server: FastifyInstance,
  { tokens }: Pick<App, 'tokens'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    tokensRoutes,
    {
      list: async ({ query }, { caller }) => pageOf('tokens', await tokens.list(caller), query),
      create: ({ body }, { caller }) => tokens.create(caller, body),
      revoke: async ({ params }, { caller }) => {
        await tokens.revoke(caller, params.id);
        return { message: 'Token revoked' };
      },
    },
    check,
  );
}
