import type { Config } from '../config/config.ts';
import type { Feature } from '../lifecycle.ts';
import { ApprovalService, type ApprovalServiceDeps } from './approval-service.ts';
import { ApprovalStore } from './approval-store.ts';

const EXPIRE_EVERY_MS = 15_000;

export interface ApprovalServices {
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
}

/** Wires the approvals of tool calls. */
export function composeApprovals(
  deps: Omit<ApprovalServiceDeps, 'store' | 'expireAfterMs'> & { config: Config },
): Feature<ApprovalServices> {
  const approvalStore = new ApprovalStore(deps.database);
  const { config } = deps;
  const approvals = new ApprovalService({
    ...deps,
    store: approvalStore,
    expireAfterMs: () => config.get('approvals.expireAfter'),
  });
  return {
    services: { approvals, approvalStore },
    lifecycle: { tidy: { everyMs: EXPIRE_EVERY_MS, run: () => approvals.expire() } },
  };
}
