import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import { canonicalAddress } from '../outbound/address-rules.ts';

export interface Limit {
  max: number;
  windowMs: number;
  /** The message of the error. */
  message?: string | undefined;
}

/** Beyond this many keys in one window, new ones share buckets, which bounds the memory. */
const MAX_KEYS = 20_000;
const OVERFLOW_KEYS = 256;

/** Counts requests per key in windows of one limit; `consume` rejects with the count where it exceeds the limit. */
export interface Counter {
  consume(key: string): Promise<RateLimiterRes>;
  get(key: string): Promise<RateLimiterRes | null>;
  /** Adds several at once, also past the limit. */
  penalty(key: string, points: number): Promise<RateLimiterRes>;
}
/** Makes the counter of a limit: in this process, or shared by the daemons of a cluster. */
export type CreateCounter = (name: string, limit: Limit) => Promise<Counter>;

/** Counts in this process. */
export async function memoryCounter(_: string, { max, windowMs }: Limit): Promise<RateLimiterMemory> {
  // Loaded at the first limited request, which most single-user daemons never get.
  const { RateLimiterMemory } = await import('rate-limiter-flexible');
  return new RateLimiterMemory({ points: max, duration: windowMs / 1000 });
}

interface Limiter {
  counts: Counter;
  /** Number of keys that started a window after `since`. */
  keys: number;
  since: number;
}

/** All rate limits: a fixed window per name and key, such as a route and an address. */
export class RateLimits {
  readonly #limiters = new Map<string, Promise<Limiter>>();
  readonly #monotonic: () => number;
  readonly #create: CreateCounter;
  constructor(monotonic: () => number, create: CreateCounter = memoryCounter) {
    this.#monotonic = monotonic;
    this.#create = create;
  }

  /** Counts a request; throws with `retryAfterMs` when it exceeds the limit. */
  async take(name: string, key: string, limit: Limit): Promise<void> {
    const limiter = await this.#limiter(name, limit);
    await refuseAsAppError(limit, async () => {
      const { isFirstInDuration } = await limiter.counts.consume(await this.#boundedKey(limiter, key, limit));
      if (isFirstInDuration) limiter.keys++;
    });
  }

  /** Counts several at once, whether or not they exceed the limit; with `check` for what is known only afterwards. */
  async add(name: string, key: string, limit: Limit, points: number): Promise<void> {
    const limiter = await this.#limiter(name, limit);
    const { consumedPoints } = await limiter.counts.penalty(
      await this.#boundedKey(limiter, key, limit),
      points,
    );
    if (consumedPoints === points) limiter.keys++;
  }

  /** How many of the limit are left in the window; 0 where it is exceeded. */
  async left(name: string, key: string, limit: Limit): Promise<number> {
    const limiter = await this.#limiter(name, limit);
    const found = await limiter.counts.get(await this.#boundedKey(limiter, key, limit));
    return Math.max(0, limit.max - (found?.consumedPoints ?? 0));
  }

  /** Throws when the limit is used up, without counting; with `take` for limits that count failures only. */
  async check(name: string, key: string, limit: Limit): Promise<void> {
    const limiter = await this.#limiter(name, limit);
    const found = await limiter.counts.get(await this.#boundedKey(limiter, key, limit));
    if (found && found.consumedPoints >= limit.max) throw refusal(limit, found.msBeforeNext);
  }

  #limiter(name: string, limit: Limit): Promise<Limiter> {
    // A changed limit starts with an empty window.
    const id = `${name} ${limit.max}/${limit.windowMs}`;
    let limiter = this.#limiters.get(id);
    if (!limiter) {
      limiter = this.#create(id, limit).then((counts) => ({ counts, keys: 0, since: this.#monotonic() }));
      this.#limiters.set(id, limiter);
    }
    return limiter;
  }

  async #boundedKey(limiter: Limiter, key: string, { windowMs }: Limit): Promise<string> {
    const now = this.#monotonic();
    if (now - limiter.since > windowMs) {
      limiter.since = now;
      limiter.keys = 0;
    }
    // Keys that are known keep their own count.
    if (limiter.keys < MAX_KEYS || (await limiter.counts.get(key))) return key;
    let sum = 0;
    for (let at = 0; at < key.length; at++) sum = (sum * 31 + key.charCodeAt(at)) % OVERFLOW_KEYS;
    return `overflow ${sum}`;
  }
}

async function refuseAsAppError(limit: Limit, consume: () => Promise<void>): Promise<void> {
  try {
    await consume();
  } catch (cause) {
    if (cause instanceof Error || typeof cause !== 'object' || cause === null || !('msBeforeNext' in cause))
      throw cause;
    throw refusal(limit, Number(cause.msBeforeNext));
  }
}

const refusal = (limit: Limit, retryAfterMs: number) =>
  new AppError('rate_limited', limit.message ?? 'Too many requests. Try again later.', { retryAfterMs });

/** The key of a client address: unmaps IPv4 and takes the /64 network of IPv6. */
export function addressKey(address: string): string {
  const plain = canonicalAddress(address);
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const groups = [head, tail].map((part) => part.split(':').filter(Boolean));
  const missing = 8 - (groups[0]?.length ?? 0) - (groups[1]?.length ?? 0);
  const zeros = plain.includes('::') ? Array.from({ length: missing }, () => '0') : [];
  return [...(groups[0] ?? []), ...zeros, ...(groups[1] ?? [])].slice(0, 4).join(':');
}
