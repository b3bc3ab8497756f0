import type { ApprovalOutbox } from '../approvals/approval-outbox.ts';
import type { Feature } from '../lifecycle.ts';
import type { A2aDeps, A2aService } from './a2a-service.ts';
import { ApprovalNotices } from './approval-notices.ts';

type ComposeDeps = Omit<A2aDeps, 'requests' | 'notify'> & {
  gatewayRequests: A2aDeps['requests'];
  gatewayNotify: A2aDeps['notify'];
};

/** What tells other agents of the approvals that their tasks wait for; there before the approvals are. */
export const composeAgentNotices = (
  deps: Pick<A2aDeps, 'keys' | 'runtime'>,
): Feature<{ agentOutbox: ApprovalOutbox }> => ({ services: { agentOutbox: new ApprovalNotices(deps) } });

/** What other agents are served with (A2A); loaded at their first request. */
export function composeA2a(deps: ComposeDeps): Feature<{ loadA2a: () => Promise<A2aService> }> {
  const { gatewayRequests: requests, gatewayNotify: notify } = deps;
  let loading: Promise<A2aService> | undefined;
  const loadA2a = () =>
    (loading ??= import('./a2a-service.ts').then(
      ({ A2aService }) => new A2aService({ ...deps, requests, notify }),
    ));
  return { services: { loadA2a } };
}
