import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type {
  Approval,
  ApprovalCoverage,
  ApprovalDecision,
  Decider,
  DecisionSignature,
} from '../../contract/approvals.ts';
import type { SigningAlgorithm } from '../../contract/keys.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { verifyText } from '../secrets/public-key.ts';
import type { Schema } from '../storage/schema.ts';
import { type DecidingSession, decidingSession } from './deciding-session.ts';
import type { NeedsSignature } from './signature-policy.ts';

/** How far the clock of a device may be off, and how long a decision may be on its way. */
const SKEW_MS = 5 * 60_000;
/** A longer representation is audited by its hash alone. */
const MAX_SHOWN = 64 * 1024;

/** What a person decides, before it counts. */
export interface Proposed {
  /** As the person is shown it, which the daemon makes from its own row. */
  shown: Approval & { binding: string };
  isChanged: boolean;
  decision: ApprovalDecision;
  covers: ApprovalCoverage;
  denialReason: string | undefined;
  signature: DecisionSignature | undefined;
}

/** What verifies a signature again without the daemon. */
export interface SignatureProof {
  algorithm: string;
  publicKey: string;
  /** The signed text. */
  text: string;
  value: string;
  /** What was shown, unless it is long. */
  shown?: string;
}

/** Who decided, and the proof of it where it was signed. */
export interface Decided {
  decider: Decider;
  proof?: SignatureProof;
  /** Why a signature that was sent did not count. */
  refused?: string;
}

/** Nobody's decision: it needs a signature, and has none that counts. */
export class SignatureRefused extends AppError {
  constructor(message: string) {
    super('forbidden', message);
  }
}

/** Tells who decides, and verifies their signature over what the daemon itself knows of the approval. */
export class DecisionSignatures {
  readonly #runtime: Runtime;
  readonly #needsSignature: NeedsSignature;
  constructor(runtime: Runtime, needsSignature: NeedsSignature) {
    this.#runtime = runtime;
    this.#needsSignature = needsSignature;
  }

  needsSignature(danger: string): boolean {
    return this.#needsSignature(danger);
  }

  /**
   * Throws `SignatureRefused` where only a signature that counts can allow one of these dangers. A denial is always taken:
   * it can do no harm, and a person must be able to stop a call from anywhere.
   */
  async check(
    db: Kysely<Schema>,
    caller: Caller,
    proposed: Proposed,
    dangers: readonly string[],
  ): Promise<Decided> {
    const session = caller.sessionId === undefined ? undefined : await decidingSession(db, caller.sessionId);
    const verified = await this.#verify(db, caller, session, proposed);
    const isNeeded = proposed.decision !== 'deny' && dangers.some((danger) => this.#needsSignature(danger));
    if (isNeeded && 'refused' in verified) throw new SignatureRefused(verified.refused);
    const proof = 'proof' in verified ? verified.proof : undefined;
    const { signature } = proposed;
    return {
      decider: {
        userId: caller.userId,
        ...(session && { userName: session.user_name }),
        via: viaOf(session),
        ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }),
        ...(caller.deviceId !== undefined && { deviceId: caller.deviceId }),
        ...(session && { deviceName: session.name }),
        signed: proof !== undefined,
        ...(proof && signature && { keyId: signature.keyId }),
      },
      ...(proof && { proof }),
      ...(signature && 'refused' in verified && { refused: verified.refused }),
    };
  }

  async #verify(
    db: Kysely<Schema>,
    caller: Caller,
    session: DecidingSession | undefined,
    proposed: Proposed,
  ): Promise<{ proof: SignatureProof } | { refused: string }> {
    const { signature, shown } = proposed;
    if (!signature)
      return {
        refused:
          'This call can only be allowed with a signed decision. Decide in a browser over https or on this machine, or with svc approvals allow',
      };
    const { keyId, signedAt, value } = signature;
    const key = await db.selectFrom('signing_keys').selectAll().where('id', '=', keyId).executeTakeFirst();
    // A key signs for its own session only, so a stolen signature is worth nothing in another one.
    if (!key || key.removed_at !== null || !session || key.session_id !== caller.sessionId)
      return { refused: 'The key of the signature is not registered for this session, or was removed' };
    if (key.owner_id !== caller.userId || session.owner_id !== caller.userId)
      return { refused: 'The key of the signature belongs to another user' };
    const age = this.#runtime.now().getTime() - Date.parse(signedAt);
    if (!(Math.abs(age) <= SKEW_MS))
      return {
        refused: `The decision was signed at ${signedAt}, more than five minutes from now. Check the clock of your device and decide again`,
      };
    const { decisionText, shownText } = await import('../../contract/signed-decision.ts');
    const seen = shownText(shown);
    const text = decisionText({
      approvalId: shown.id,
      shown: hash('sha256', seen),
      binding: shown.binding,
      arguments: proposed.isChanged ? 'changed' : 'asked',
      decision: proposed.decision,
      covers: proposed.decision === 'allow-always' ? proposed.covers : null,
      denialReason: proposed.denialReason ?? null,
      signedAt,
      keyId,
      userId: caller.userId,
      sessionId: key.session_id,
      deviceId: key.device_id,
    });
    const { public_key: publicKey } = key;
    const algorithm = key.algorithm as SigningAlgorithm;
    if (!verifyText({ algorithm, publicKey }, text, value))
      return {
        refused:
          'The signature is not for this decision on this call as it is now. Load the approval again, and decide again',
      };
    await db
      .updateTable('signing_keys')
      .set({ last_used_at: this.#runtime.now().toISOString() })
      .where('id', '=', keyId)
      .execute();
    return {
      proof: { algorithm, publicKey, text, value, ...(seen.length <= MAX_SHOWN && { shown: seen }) },
    };
  }
}

function viaOf(session: DecidingSession | undefined): Decider['via'] {
  if (!session) return 'none';
  return session.kind === 'owner' || session.kind === 'device' ? session.kind : 'sign-in';
}
