import type { Redis } from 'ioredis';
import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import type { RedisConnections } from '../redis/redis-connections.ts';
import { type StreamEntry, type StreamLog, StreamUnavailable } from './stream-log.ts';

/** Items of this time travel together. */
const BATCH_MS = 20;
const MAX_LENGTH = 20_000;
const KEEP_ENDED_S = 600;
/** Of a run whose daemon is killed. */
const KEEP_S = 86_400;
const BLOCK_MS = 1000;
/** An answer that takes longer never comes. */
const ANSWER_MS = 3000;

const batch = z.object({
  v: z.literal(1),
  from: z.string(),
  items: z.array(z.unknown()),
  end: z.enum(['whole', 'broken']).optional(),
});
type Batch = z.infer<typeof batch>;

interface Writing<T> {
  items: T[];
  timer: NodeJS.Timeout | undefined;
  sending: Promise<void>;
  /** Whether something was not sent: what comes after it would read as if nothing were missing. */
  isBroken: boolean;
  isKnown: boolean;
}

export interface RedisStreamLogDeps {
  connections: RedisConnections;
  prefix: string;
  /** Which daemon this is: it does not read what it wrote. */
  daemonId: string;
}

/** A Redis stream per run. */
export class RedisStreamLog<T> implements StreamLog<T> {
  readonly #deps: RedisStreamLogDeps;
  readonly #writing = new Map<string, Writing<T>>();
  readonly #sending = new Set<Promise<void>>();

  constructor(deps: RedisStreamLogDeps) {
    this.#deps = deps;
  }

  append(key: string, item: T): void {
    let writing = this.#writing.get(key);
    if (!writing) {
      writing = {
        items: [],
        timer: undefined,
        sending: Promise.resolve(),
        isBroken: false,
        isKnown: false,
      };
      this.#writing.set(key, writing);
    }
    writing.items.push(item);
    writing.timer ??= setTimeout(() => this.#flush(key), BATCH_MS);
  }

  end(key: string): void {
    this.#flush(key, true);
    this.#writing.delete(key);
  }

  async *follow(key: string, signal: AbortSignal): AsyncGenerator<StreamEntry<T>> {
    const { connections, daemonId } = this.#deps;
    if (!connections.isUp) throw new StreamUnavailable('Redis is away');
    const redis = connections.connectConsumer();
    const stop = () => redis.disconnect();
    signal.addEventListener('abort', stop);
    try {
      let position = '0';
      while (!signal.aborted) {
        for (const [id, known] of await this.#read(redis, key, position)) {
          position = id;
          // The rest would read as if nothing were missing, and without this part may have no end.
          if (!known) throw new StreamUnavailable('A part of the stream is of another version of svc');
          const { from, items, end } = known;
          if (from === daemonId) continue;
          for (const item of items) yield { item: item as T };
          if (end === 'broken') throw new StreamUnavailable('A part of the stream is missing');
          if (end) return yield 'end';
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      throw error instanceof StreamUnavailable
        ? error
        : new StreamUnavailable('Redis is away', { cause: error });
    } finally {
      signal.removeEventListener('abort', stop);
      redis.disconnect();
    }
  }

  /** Resolves when everything is sent. */
  async stop(): Promise<void> {
    for (const key of this.#writing.keys()) this.#flush(key);
    await Promise.all(this.#sending);
  }

  #keyOf(key: string): string {
    return `${this.#deps.prefix}:run:${key}`;
  }

  #flush(key: string, isEnd = false): void {
    const writing = this.#writing.get(key);
    if (!writing) return;
    clearTimeout(writing.timer);
    const { items } = writing;
    Object.assign(writing, { items: [], timer: undefined });
    const sending = writing.sending.then(() => this.#send(key, writing, items, isEnd));
    writing.sending = sending;
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  async #send(key: string, writing: Writing<T>, items: T[], isEnd: boolean): Promise<void> {
    if (writing.isBroken && !isEnd) return;
    const whole: Batch = { v: 1, from: this.#deps.daemonId, items };
    if (isEnd) Object.assign(whole, { end: writing.isBroken ? 'broken' : 'whole' });
    const sent = await this.#deps.connections.attempt(async (redis) => {
      const stream = this.#keyOf(key);
      const added = redis.xadd(stream, 'MAXLEN', '~', MAX_LENGTH, '*', 'e', JSON.stringify(whole));
      const kept = isEnd || !writing.isKnown;
      await Promise.all([added, kept && redis.expire(stream, isEnd ? KEEP_ENDED_S : KEEP_S)]);
    });
    writing.isKnown = true;
    if (!sent) writing.isBroken = true;
  }

  async #read(redis: Redis, key: string, after: string): Promise<[id: string, Batch | undefined][]> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new StreamUnavailable('Redis does not answer')), ANSWER_MS);
    try {
      const reading = redis.xread('BLOCK', BLOCK_MS, 'STREAMS', this.#keyOf(key), after);
      const [stream] = (await Promise.race([reading, late.promise])) ?? [];
      return (stream?.[1] ?? []).map(([id, fields]) => [
        id,
        safeParse(batch, JSON.parse(fields[1] ?? 'null')).data,
      ]);
    } finally {
      clearTimeout(timer);
    }
  }
}
