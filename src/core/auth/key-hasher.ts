import { argon2, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Requester, SignInQueue, stoppingError, unknownClient } from './sign-in-queue.ts';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;
const MAX_AT_ONCE = 2;
/** At 20 to 60 ms each, more would wait longer than a second. */
const MAX_WAITING = 32;

const derive = promisify(argon2);

/** Hashes keys with argon2id, at most two at a time, so that sign-ins cannot exhaust the memory; known clients first. */
export class KeyHasher {
  readonly #queue: SignInQueue;
  readonly #parameters: typeof PARAMETERS;
  readonly #decoys = randomBytes(32);
  /** Work that hashes and then stores something. */
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(parameters = PARAMETERS, maxWaiting = MAX_WAITING, monotonic = () => performance.now()) {
    this.#parameters = parameters;
    this.#queue = new SignInQueue(MAX_AT_ONCE, maxWaiting, monotonic);
  }

  /** Runs work that hashes keys and stores something by the result, for which `close` waits. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw stoppingError();
    const running = work();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** Refuses hashes that have not begun, and resolves when no work is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.close();
    await Promise.allSettled(this.#underWay);
  }

  /** Returns a PHC string of argon2id. */
  async hash(key: string, requester: Requester = unknownClient): Promise<string> {
    const nonce = randomBytes(SALT_BYTES);
    const tag = await this.#queue.run(requester, () =>
      derive('argon2id', { ...this.#parameters, message: normalize(key), nonce }),
    );
    return this.#format(nonce, tag);
  }

  /**
   * A hash that no key matches, for an unknown user, so that the comparison takes the same time. The duration of
   * argon2id depends on the salt, so each name has its own.
   */
  decoyFor(name: string): string {
    const bytes = createHmac('sha512', this.#decoys).update(name).digest();
    const { tagLength } = this.#parameters;
    return this.#format(bytes.subarray(0, SALT_BYTES), bytes.subarray(SALT_BYTES, SALT_BYTES + tagLength));
  }

  /** Compares in constant time; a hash of another format never matches. */
  async matches(key: string, hash: string, requester: Requester = unknownClient): Promise<boolean> {
    const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash);
    if (!match) return false;
    const [, memory, passes, parallelism, nonce = '', tag = ''] = match;
    const expected = Buffer.from(tag, 'base64');
    const actual = await this.#queue.run(requester, () =>
      derive('argon2id', {
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
        tagLength: expected.length,
        message: normalize(key),
        nonce: Buffer.from(nonce, 'base64'),
      }),
    );
    return timingSafeEqual(actual, expected);
  }

  #format(salt: Buffer, tag: Buffer): string {
    const { memory, passes, parallelism } = this.#parameters;
    const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
  }
}

/** Different keyboards may compose the same letters differently. */
const normalize = (key: string) => key.normalize('NFC');
