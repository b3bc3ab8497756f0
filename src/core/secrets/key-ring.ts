import { createHmac, randomBytes } from 'node:crypto';
import { derivePath } from 'ed25519-hd-key';
import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { ensureState, readState } from '../storage/state.ts';
import { readMasterSeed, writeMasterSeed } from './master-seed.ts';
import { SecretBox } from './secret-box.ts';

/** Hardened derivation paths (SLIP-0010), one per purpose; a released path never changes. */
const paths = {
  attest: "m/44'/7331'/0'",
  atRest: "m/44'/7331'/1'",
  cursors: "m/44'/7331'/2'",
  notify: "m/44'/7331'/3'",
  codes: "m/44'/7331'/4'",
  push: "m/44'/7331'/5'",
} as const;
export type KeyPurpose = keyof typeof paths;

/** The key in the state under which a database keeps the check of its seed. */
export const IDENTITY_CHECK = 'identity_check';

/** The keys of this daemon, all derived from one master seed. */
export class KeyRing {
  readonly #seed: Buffer;
  readonly #derived = new Map<KeyPurpose, Buffer>();
  readonly box: SecretBox;

  constructor(seed: Buffer) {
    this.#seed = seed;
    this.box = new SecretBox(this.key('atRest'));
  }

  /** 32 bytes. */
  key(purpose: KeyPurpose): Buffer {
    let key = this.#derived.get(purpose);
    if (!key) {
      key = Buffer.from(derivePath(paths[purpose], this.#seed.toString('hex')).key);
      this.#derived.set(purpose, key);
    }
    return key;
  }

  /** HMAC-SHA256 in hex of a text under the key of a purpose. */
  hmac(purpose: KeyPurpose, text: string): string {
    return createHmac('sha256', this.key(purpose)).update(text).digest('hex');
  }

  /** What a database written under this seed keeps, so that another seed is found before it does harm. */
  check(): string {
    return this.hmac('codes', 'identity check');
  }

  /**
   * Reads the seed; `mayCreate` creates one at the first start. Throws where the database was written under another seed,
   * because its secrets could not be read.
   */
  static async load(
    database: Database,
    seedFile: string,
    { mayCreate }: { mayCreate: boolean },
  ): Promise<KeyRing> {
    const stored = readMasterSeed(seedFile);
    if (!stored && (!mayCreate || (await readState(database.read, IDENTITY_CHECK)) !== undefined))
      throw new AppError(
        'configuration',
        `${seedFile} is missing; the secrets in the database cannot be read without it. Restore it: svc devices identity --restore`,
      );
    const seed = stored ?? randomBytes(32);
    if (!stored) writeMasterSeed(seedFile, seed);
    const ring = new KeyRing(seed);
    const check = ring.check();
    // Of several daemons that start at once on a new database one is the first; the others compare theirs with it.
    if ((await ensureState(database, IDENTITY_CHECK, () => check)) !== check)
      throw new AppError(
        'configuration',
        `${seedFile} is not the identity under which this database was written. ${mayCreate ? 'Restore the right one' : 'Name the seed of the other daemons in SVC_MASTER_SEED_FILE, or restore it'}: svc devices identity --restore`,
      );
    return ring;
  }
}
