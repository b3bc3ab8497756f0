import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Approval, DecideApproval, DecisionSignature } from '../../src/contract/approvals.ts';
import { decisionText, shownText, type SignedDecision } from '../../src/contract/signed-decision.ts';
import type { RegisterSigningKey, SigningAlgorithm, SigningKey } from '../../src/contract/keys.ts';

/** A key as a browser makes one. */
export interface Signer extends RegisterSigningKey {
  privateKey: KeyObject;
}

export function newSigner(algorithm: SigningAlgorithm = 'ed25519'): Signer {
  const isEd25519 = algorithm === 'ed25519';
  const { publicKey, privateKey } = isEd25519
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const bytes = [x, y].map((part) => Buffer.from(part, 'base64url'));
  const point = isEd25519 ? bytes : [Buffer.of(4), ...bytes];
  return { algorithm, privateKey, publicKey: Buffer.concat(point).toString('base64') };
}

export const signText = ({ algorithm, privateKey }: Signer, text: string): string =>
  (algorithm === 'ed25519'
    ? sign(null, Buffer.from(text), privateKey)
    : sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  ).toString('base64');

/** What a signature on the decision covers; `different` is what a forger would write. */
export const signedDecision = (
  key: SigningKey,
  approval: Approval,
  { decision, covers = 'kind', denialReason, arguments: changed }: DecideApproval,
  signedAt: string,
  different: Partial<SignedDecision> = {},
): SignedDecision => ({
  approvalId: approval.id,
  shown: createHash('sha256').update(shownText(approval)).digest('hex'),
  binding: approval.binding ?? '',
  arguments: changed ? 'changed' : 'asked',
  decision,
  covers: decision === 'allow-always' ? covers : null,
  denialReason: denialReason ?? null,
  signedAt,
  keyId: key.id,
  userId: key.userId,
  sessionId: key.sessionId,
  deviceId: key.deviceId ?? null,
  ...different,
});

/** The signature on a decision. */
export function signatureOn(
  signer: Signer,
  key: SigningKey,
  approval: Approval,
  body: DecideApproval,
  signedAt: string,
  different: Partial<SignedDecision> = {},
): DecisionSignature {
  const text = decisionText(signedDecision(key, approval, body, signedAt, different));
  return { keyId: key.id, signedAt, value: signText(signer, text) };
}
