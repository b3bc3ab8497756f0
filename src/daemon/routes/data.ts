import type { FastifyInstance } from 'fastify';
import { dataRoutes } from '../../contract/data.ts';
import type { App } from '../../core/app.ts';
import { clientOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerData(
  server: FastifyInstance,
  { data, worktreeOrphans }: Pick<App, 'data' | 'worktreeOrphans'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    dataRoutes,
    {
      getUsage: () => data.usage(),
      prune: ({ body }, { caller, request }) => data.prune(caller, body, clientOf(request).address),
      getWorktreeOrphans: async () => ({ orphans: await worktreeOrphans.list() }),
      removeWorktreeOrphans: () => worktreeOrphans.removeClean(),
      archive: async ({ body }, { caller, request }) => {
        const archive = await data.archive(caller, body.before, clientOf(request).address);
        return archive ? { archive } : {};
      },
    },
    check,
  );
}
