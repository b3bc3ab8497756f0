import type { FastifyInstance } from 'fastify';
import { policyRoutes } from '../../contract/policy.ts';
import type { App } from '../../core/app.ts';
import { addressOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerPolicy(
  server: FastifyInstance,
  { policy }: Pick<App, 'policy'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    policyRoutes,
    {
      get: () => policy.current(),
      update: ({ body }, { caller, request }) =>
        policy.update(body, { userId: caller.userId, address: addressOf(request) }),
    },
    check,
  );
}
