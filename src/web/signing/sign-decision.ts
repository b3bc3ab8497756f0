import type { Approval, DecideApproval, DecisionSignature } from '../../contract/approvals.ts';
import { decisionText, shownText } from '../../contract/signed-decision.ts';
import { client } from '../client.ts';
import { ownKey, signWith } from './own-key.ts';

/** Signs a decision on exactly what the page shows; throws where this browser cannot. */
export async function signDecision(
  shown: Approval,
  { decision, covers = 'kind', denialReason, arguments: changed }: DecideApproval,
): Promise<DecisionSignature> {
  const [binding, key] = await Promise.all([bindingOf(shown), ownKey()]);
  const signedAt = new Date().toISOString();
  const text = decisionText({
    approvalId: shown.id,
    shown: await sha256(shownText(shown)),
    binding,
    arguments: changed ? 'changed' : 'asked',
    decision,
    covers: decision === 'allow-always' ? covers : null,
    denialReason: denialReason?.trim() ?? null,
    signedAt,
    keyId: key.id,
    userId: key.userId,
    sessionId: key.sessionId,
    deviceId: key.deviceId,
  });
  return { keyId: key.id, signedAt, value: await signWith(key, text) };
}

/** The events of a conversation carry approvals without their binding. */
async function bindingOf({ id, binding }: Approval): Promise<string> {
  if (binding !== undefined) return binding;
  const { approval } = await client.approvals.get({ params: { id } });
  return approval.binding ?? '';
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
