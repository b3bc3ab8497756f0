import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '../errors.ts';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const MAX_AT_ONCE = 2;
/** At 20 to 60 ms each, who comes later would give up before it is their turn. */
const MAX_WAITING = 200;

const derive = promisify(argon2);

/** Hashes keys slowly; at most two at a time, so that sign-ins cannot exhaust the memory. */
export class KeyHasher {
  readonly #waiting: (() => void)[] = [];
  readonly #parameters: typeof PARAMETERS;
  readonly #maxWaiting: number;
  #running = 0;
  #decoy: Promise<string> | undefined;

  constructor(parameters = PARAMETERS, maxWaiting = MAX_WAITING) {
    this.#parameters = parameters;
    this.#maxWaiting = maxWaiting;
  }

  /** A PHC string of argon2id. */
  async hash(key: string): Promise<string> {
    const nonce = randomBytes(16);
    const { memory, passes, parallelism } = this.#parameters;
    const tag = await this.#limited(() =>
      derive('argon2id', { ...this.#parameters, message: plain(key), nonce }),
    );
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(tag)}`;
  }

  /** A hash of nobody's, so that comparing takes as long for an unknown user. */
  decoy(): Promise<string> {
    return (this.#decoy ??= this.hash(randomBytes(16).toString('hex')));
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
