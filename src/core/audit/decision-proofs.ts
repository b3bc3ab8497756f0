import { hash } from 'node:crypto';
import type { SignedDecision } from '../../contract/signed-decision.ts';
import type { SigningAlgorithm } from '../../contract/keys.ts';
import { verifyText } from '../secrets/public-key.ts';
import type { AuditRow } from '../storage/rows/audit.ts';

/** How the text of a decision begins; said again, so that the daemon starts without what writes it. */
const DOMAIN = 'svc/approval-decision/v1\n';

interface Key {
  algorithm: SigningAlgorithm;
  publicKey: string;
}
interface Proof extends Key {
  text: string;
  value: string;
  shown?: string;
}
interface Decision {
  approvalId?: string;
  decider?: { signed?: boolean; through?: string };
  signature?: Proof;
}
type KeyEntry = Key & { keyId: string; replaces?: string };

/** Verifies the signatures of decisions entry by entry, from the log alone. */
export class DecisionProofs {
  decisions = 0;
  signed = 0;
  /** The keys that sign now, by their ids. */
  readonly #keys = new Map<string, Key>();
  #isWhole = true;

  /** Call it where entries are left out: keys may have been registered in them. */
  skip(): void {
    this.#isWhole = false;
  }

  /** Returns what is wrong with the next entry, if anything. */
  follow(row: AuditRow): string | undefined {
    if (row.kind === 'security') this.#followKeys(row);
    // A call itself has other results.
    else if (row.result === 'approved' || row.result === 'denied') {
      this.decisions++;
      const fault = this.#faultOf(row, JSON.parse(row.arguments) as Decision);
      return fault && `Entry ${row.seq} ${fault}`;
    }
    return undefined;
  }

  #followKeys({ tool, arguments: text }: AuditRow): void {
    if (tool !== 'signing_key.registered' && tool !== 'signing_key.removed') return;
    const { keyId, replaces, algorithm, publicKey } = JSON.parse(text) as KeyEntry;
    if (replaces !== undefined) this.#keys.delete(replaces);
    if (tool === 'signing_key.removed') this.#keys.delete(keyId);
    else this.#keys.set(keyId, { algorithm, publicKey });
  }

  #faultOf(row: AuditRow, { approvalId, decider, signature }: Decision): string | undefined {
    if (!signature)
      return decider?.signed && decider.through === undefined ? 'has lost its signature' : undefined;
    const said = readDecisionText(signature.text);
    if (!said || !verifyText(signature, signature.text, signature.value)) return 'has a wrong signature';
    if (!matches(said, row, approvalId)) return 'has the signature of another decision';
    if (signature.shown !== undefined && !isShown(signature.shown, said, row))
      return 'does not contain what was shown when it was signed';
    if (this.#isWhole && !isSame(this.#keys.get(said.keyId), signature))
      return 'was signed with a key that was not registered';
    this.signed++;
    return undefined;
  }
}

const matches = (said: SignedDecision, row: AuditRow, approvalId: string | undefined): boolean =>
  said.approvalId === approvalId &&
  said.decision === row.decision &&
  said.userId === row.user_id &&
  (said.decision === 'deny') === (row.result === 'denied');

function isShown(shown: string, said: SignedDecision, row: AuditRow): boolean {
  if (hash('sha256', shown) !== said.shown) return false;
  const { id, toolName } = JSON.parse(shown) as { id: string; toolName: string };
  return id === said.approvalId && toolName === row.tool;
}

const isSame = (key: Key | undefined, { algorithm, publicKey }: Key): boolean =>
  key?.algorithm === algorithm && key.publicKey === publicKey;

/** The signed text as an object; undefined for text of another form. */
function readDecisionText(text: string): SignedDecision | undefined {
  if (!text.startsWith(DOMAIN)) return undefined;
  try {
    return JSON.parse(text.slice(DOMAIN.length)) as SignedDecision;
  } catch {
    return undefined;
  }
}
