import type { FastifyInstance } from 'fastify';
import { approvalsRoutes } from '../../contract/approvals.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerApprovals(
  server: FastifyInstance,
  { approvals, loadRuns }: Pick<App, 'approvals' | 'loadRuns'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    approvalsRoutes,
    {
      list: ({ query }, { caller }) => approvals.list(caller, query),
      get: async ({ params }, { caller }) => ({ approval: await approvals.get(caller, params.id) }),
      preview: async ({ params, body }, { caller }) => {
        const { editedCalls } = await loadRuns();
        return { approval: await editedCalls.preview(caller, params.id, body.arguments) };
      },
      decide: async ({ params, body }, { caller }) => {
        if (!body.arguments) return approvals.decide(caller, params.id, body.decision, body);
        const { editedCalls } = await loadRuns();
        return editedCalls.allow(caller, params.id, body.arguments, body.signature);
      },
    },
    check,
  );
}
