import type { FastifyInstance } from 'fastify';
import { guardsRoutes } from '../../contract/guards.ts';
import type { App } from '../../core/app.ts';
import { addressOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerGuards(
  server: FastifyInstance,
  { policy }: Pick<App, 'policy'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    guardsRoutes,
    {
      list: async () => {
        await policy.current();
        return { guards: policy.guards() };
      },
      update: async ({ params, body }, { caller, request }) => ({
        guard: await policy.setGuard(params.name, body.enabled, {
          userId: caller.userId,
          address: addressOf(request),
        }),
      }),
    },
    check,
  );
}
