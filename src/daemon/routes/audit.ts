import type { FastifyInstance } from 'fastify';
import { auditRoutes } from '../../contract/audit.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerAudit(
  server: FastifyInstance,
  { auditEntries }: Pick<App, 'auditEntries'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    auditRoutes,
    {
      list: ({ query }) => auditEntries.list(query),
      verify: () => auditEntries.verify(),
      get: async ({ params }) => ({ entry: await auditEntries.get(params.id) }),
    },
    check,
  );
}
