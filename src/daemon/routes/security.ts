import type { FastifyInstance } from 'fastify';
import { securityRoutes } from '../../contract/security.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerSecurity(
  server: FastifyInstance,
  { auditEntries }: App,
  check?: ResponseCheck,
): void {
  implement(
    server,
    securityRoutes,
    {
      audit: ({ query }) => auditEntries.list(query),
      verifyAudit: () => auditEntries.verify(),
      auditEntry: async ({ params }) => ({ entry: await auditEntries.get(params.id) }),
    },
    check,
  );
}
