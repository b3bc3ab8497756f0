import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const MAX_AT_ONCE = 2;

const derive = promisify(argon2);

/** Hashes keys slowly; at most two at a time, so that sign-ins cannot exhaust the memory. */
export class KeyHasher {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** A PHC string of argon2id. */
  async hash(key: string): Promise<string> {
    const nonce = randomBytes(16);
    const { memory, passes, parallelism } = PARAMETERS;
    const tag = await this.#limited(() => derive('argon2id', { ...PARAMETERS, message: key, nonce }));
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(tag)}`;
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
        message: key,
        nonce: Buffer.from(nonce, 'base64'),
      }),
    );
    return timingSafeEqual(actual, expected);
  }

  async #limited<T>(compute: () => Promise<T>): Promise<T> {
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
