import type { AccessKeyService } from '../auth/access-key-service.ts';
import type { Config } from '../config/config.ts';
import type { Feature } from '../lifecycle.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { ApprovalService, type ApprovalServiceDeps } from './approval-service.ts';
import { ApprovalStore } from './approval-store.ts';
import { DecisionSignatures } from './decision-signatures.ts';
import { signaturePolicy } from './signature-policy.ts';
import { SigningKeyService } from './signing-key-service.ts';

const EXPIRE_EVERY_MS = 15_000;

export interface ApprovalServices {
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  signingKeys: SigningKeyService;
}

/** Wires the approvals of tool calls, and the keys that sign decisions on them. */
export function composeApprovals(
  deps: Omit<ApprovalServiceDeps, 'store' | 'expireAfterMs' | 'signatures'> & {
    config: Config;
    keys: KeyRing;
    accessKey: AccessKeyService;
  },
): Feature<ApprovalServices> {
  const { config, runtime, accessKey } = deps;
  const required = () => config.get('approvals.requireSignature');
  const needsSignature = signaturePolicy(required);
  const approvalStore = new ApprovalStore(deps.database, needsSignature);
  const approvals = new ApprovalService({
    ...deps,
    store: approvalStore,
    signatures: new DecisionSignatures(runtime, needsSignature),
    expireAfterMs: () => config.get('approvals.expireAfter'),
  });
  const signingKeys = new SigningKeyService({
    ...deps,
    isOpen: () => accessKey.isOpen,
    isRequired: () => required() !== 'never',
  });
  return {
    services: { approvals, approvalStore, signingKeys },
    lifecycle: { tidy: { everyMs: EXPIRE_EVERY_MS, run: () => approvals.expire() } },
  };
}
