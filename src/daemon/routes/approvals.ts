import type { FastifyInstance } from 'fastify';
import { approvalsRoutes } from '../../contract/approvals.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerApprovals(
  server: FastifyInstance,
  { approvals }: Pick<App, 'approvals'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    approvalsRoutes,
    {
      list: ({ query }, { caller }) => approvals.list(caller, query),
      decide: async ({ params, body }, { caller }) => ({
        approval: await approvals.decide(caller, params.id, body.decision, body),
      }),
    },
    check,
  );
}
