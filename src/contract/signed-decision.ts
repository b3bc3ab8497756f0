import canonicalize from 'canonicalize';
import type { Approval, ApprovalCoverage, ApprovalDecision } from './approvals.ts';

/** Separates these signatures from all others that a key may make. */
const DOMAIN = 'svc/approval-decision/v1\n';

/** Everything that a signature on a decision covers. */
export interface SignedDecision {
  approvalId: string;
  /** SHA-256 in hexadecimal of what the person was shown. */
  shown: string;
  /** `binding` of the approval: what must not change until the call runs. */
  binding: string;
  /** Whether the call runs with the arguments that it asked for, or with those of the person. */
  arguments: 'asked' | 'changed';
  decision: ApprovalDecision;
  /** What `allow-always` covers; null with every other decision. */
  covers: ApprovalCoverage | null;
  denialReason: string | null;
  signedAt: string;
  keyId: string;
  userId: string;
  sessionId: string;
  deviceId: string | null;
}

/** The text that is signed, in UTF-8: the domain and canonical JSON (RFC 8785). */
export const decisionText = (signed: SignedDecision): string => DOMAIN + canonicalize({ ...signed });

/** The canonical JSON of what a person is shown of a call, which is the same in every client and in the daemon. */
export const shownText = (approval: Approval): string =>
  canonicalize({
    id: approval.id,
    toolName: approval.toolName,
    agent: approval.agent ?? null,
    params: approval.params,
    cwd: approval.cwd,
    securityLevel: approval.securityLevel,
    reason: approval.reason,
    scripts: approval.scripts ?? null,
    diff: approval.diff ?? null,
    alwaysCovers: approval.alwaysCovers ?? null,
    conversationId: approval.conversationId ?? null,
    taskId: approval.taskId ?? null,
    requestedAt: approval.requestedAt,
    expiresAt: approval.expiresAt,
  }) ?? '';
