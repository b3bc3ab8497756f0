import type { Approval, DecideApproval, DecisionSignature } from '../../contract/approvals.ts';
import { ApiError } from '../../contract/client.ts';
import { client } from '../client.ts';

/** Whether this page can sign: browsers have keys only for https and for this machine. */
export const canSign = (): boolean => isSecureContext && 'locks' in navigator;

/** Why a decision that needs a signature has none. */
export class SigningFailed extends Error {}

/**
 * Decides a call, signed with the key of this browser where it can. Where it cannot, the decision is unsigned, unless it
 * needs a signature.
 */
export async function decide(approval: Approval, body: DecideApproval) {
  const signature = await sign(approval, body);
  return client.approvals.decide({
    params: { id: approval.id },
    body: { ...body, ...(signature && { signature }) },
  });
}

async function sign(approval: Approval, body: DecideApproval): Promise<DecisionSignature | undefined> {
  if (!canSign()) return undefined;
  try {
    // Loaded with the first decision, not with the page.
    const { signDecision } = await import('./sign-decision.ts');
    return await signDecision(approval, body);
  } catch (cause) {
    if (!approval.needsSignature || body.decision === 'deny') return undefined;
    const text = `This browser could not sign: ${(cause as Error).message.replace(/\.$/, '')}.`;
    const isToldWhatToDo = cause instanceof ApiError;
    throw new SigningFailed(
      isToldWhatToDo ? text : `${text} Decide on another device, or on the command line.`,
      {
        cause,
      },
    );
  }
}
