import type { FastifyInstance } from 'fastify';
import { securityRoutes } from '../../contract/security.ts';
import type { App } from '../../core/app.ts';
import { addressOf } from '../credentials.ts';
import { type Context, implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

const changerOf = ({ caller, request }: Context) => ({ userId: caller.userId, address: addressOf(request) });

export function registerSecurity(
  server: FastifyInstance,
  { auditEntries, policy, approvals }: Pick<App, 'auditEntries' | 'policy' | 'approvals'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    securityRoutes,
    {
      policy: () => policy.policy,
      setPolicy: ({ body }, context) => policy.update(body, changerOf(context)),
      guards: () => ({ guards: policy.guards() }),
      setGuard: async ({ params, body }, context) => ({
        guard: await policy.setGuard(params.name, body.enabled, changerOf(context)),
      }),
      approvals: ({ query }, { caller }) => approvals.list(caller, query),
      decide: async ({ params, body }, { caller }) => ({
        approval: await approvals.decide(caller, params.id, body.decision),
      }),
      audit: ({ query }) => auditEntries.list(query),
      verifyAudit: () => auditEntries.verify(),
      auditEntry: async ({ params }) => ({ entry: await auditEntries.get(params.id) }),
    },
    check,
  );
}
