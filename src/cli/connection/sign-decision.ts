import { hash } from 'node:crypto';
import type { Approval, DecideApproval, DecisionSignature } from '../../contract/approvals.ts';
import type { Client } from '../../contract/client.ts';
import type { Locations } from '../../contract/locations.ts';
import { decisionText, shownText } from '../../contract/signed-decision.ts';
import { deviceKey } from '../commands/devices/device-key.ts';

/**
 * Signs a decision with the key of this machine, which the daemon keeps for the session. Undefined where that cannot be:
 * the decision then is unsigned, unless it needs a signature; then this throws what stands in the way.
 */
export async function signDecision(
  client: Client,
  locations: Locations,
  id: string,
  body: DecideApproval,
): Promise<DecisionSignature | undefined> {
  let approval: Approval | undefined;
  try {
    ({ approval } = await load(client, id, body));
    const { binding } = approval;
    if (binding === undefined) return undefined;
    const { publicKey, sign } = deviceKey(locations);
    const { key } = await client.keys.register({ body: { algorithm: 'ed25519', publicKey } });
    const signedAt = new Date().toISOString();
    const text = decisionText({
      approvalId: id,
      shown: hash('sha256', shownText(approval)),
      binding,
      arguments: body.arguments ? 'changed' : 'asked',
      decision: body.decision,
      covers: body.decision === 'allow-always' ? (body.covers ?? 'kind') : null,
      denialReason: body.denialReason?.trim() ?? null,
      signedAt,
      keyId: key.id,
      userId: key.userId,
      sessionId: key.sessionId,
      deviceId: key.deviceId ?? null,
    });
    return { keyId: key.id, signedAt, value: sign(text) };
  } catch (error) {
    if (approval?.needsSignature && body.decision !== 'deny') throw error;
    return undefined;
  }
}

const load = (client: Client, id: string, { arguments: changed }: DecideApproval) =>
  changed
    ? client.approvals.preview({ params: { id }, body: { arguments: changed } })
    : client.approvals.get({ params: { id } });
