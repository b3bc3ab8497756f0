import { argon2, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '../errors.ts';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;
const MAX_AT_ONCE = 2;
/** At 20 to 60 ms each, who comes later would give up before it is their turn. */
const MAX_WAITING = 200;

const derive = promisify(argon2);

/** Hashes keys slowly; at most two at a time, so that sign-ins cannot exhaust the memory. */
export class KeyHasher {
  readonly #waiting: (() => void)[] = [];
  readonly #parameters: typeof PARAMETERS;
  readonly #decoys = randomBytes(32);
  readonly #maxWaiting: number;
  #running = 0;

  constructor(parameters = PARAMETERS, maxWaiting = MAX_WAITING) {
    this.#parameters = parameters;
    this.#maxWaiting = maxWaiting;
  }

  /** A PHC string of argon2id. */
  async hash(key: string): Promise<string> {
    const nonce = randomBytes(SALT_BYTES);
    const tag = await this.#limited(() =>
      derive('argon2id', { ...this.#parameters, message: plain(key), nonce }),
    );
    return this.#spell(nonce, tag);
  }

  /**
   * A hash that no key has, for who is not known, so that comparing costs the same. How long argon2id takes depends on
   * the salt, so each name has one of its own, like a user.
   */
  decoyFor(name: string): string {
    const bytes = createHmac('sha512', this.#decoys).update(name).digest();
    const { tagLength } = this.#parameters;
    return this.#spell(bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES, SALT_BYTES + tagLength));
  }

  /** Compares in constant time; a hash that is not ours never matches. */
  async matches(key: string, hash: string): Promise<boolean> {
    const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash);
    if (!match) return false;
    const [, memory, passes, parallelism, nonce = '', tag = ''] = match;
    const expected = Buffer.from(tag, 'base64');
    const actual = await this.#limited(() =>
      derive('argon2id', {
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
        tagLength: expected.length,
        message: plain(key),
        nonce: Buffer.from(nonce, 'base64'),
      }),
    );
    return timingSafeEqual(actual, expected);
  }

  #spell(salt: Buffer, tag: Buffer): string {
    const { memory, passes, parallelism } = this.#parameters;
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
  }

  async #limited<T>(compute: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= this.#maxWaiting)
      throw new AppError('unavailable', 'Too many sign-ins at once. Try again in a moment.');
    while (this.#running >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await compute();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}

/** What two keyboards type for the same letters is the same. */
const plain = (key: string) => key.normalize('NFC');
