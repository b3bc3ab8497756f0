import type { Redis, RedisOptions } from 'ioredis';
import { within } from '../async/within.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { adviceOn, isRefusal, isRefusedCaller, isReplica, setupProblemOf } from './redis-refusals.ts';

/** A request never waits longer than this for Redis: what it would have said is found in the rows. */
const COMMAND_MS = 500;
const CONNECT_MS = 2000;
/** After a command that was not answered in time, none is sent for so long. */
const REST_MS = 1000;
/** A Redis that refuses some commands takes others: it is all right again when it has refused none for so long. */
const REFUSAL_MS = 30_000;
const AWAY = 'Redis is away: tasks start more slowly until it is back';
const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 10), 1000);

type Options = Omit<RedisOptions, 'replyMapping'>;

const policies = {
  /** Fails fast, because callers go on without Redis. */
  producer: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    retryStrategy,
    reconnectOnError: isReplica,
  },
  /** Waits for Redis as long as it takes. */
  consumer: {
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy,
    reconnectOnError: isReplica,
  },
} satisfies Record<string, Options>;

/** Why Redis is not used, or not for everything, and since when. */
export interface RedisFault {
  since: Date;
  message: string;
  /** Whether it is away; otherwise it refuses commands, or is not set up for svc. */
  isAway: boolean;
}

export interface RedisConnectionsDeps {
  url: string;
  log: Log;
  monotonic: () => number;
  now: () => Date;
}

/**
 * The connections of a daemon to Redis. Every outage is logged once, when it begins and when it is over, and nothing that
 * is logged or thrown contains the password.
 */
export class RedisConnections {
  /** For commands of requests; use it through `attempt`. */
  readonly producer: Redis;
  readonly #deps: RedisConnectionsDeps;
  readonly #create: (options: Options) => Redis;
  readonly #open = new Set<Redis>();
  #restUntil = Number.NEGATIVE_INFINITY;
  #away: RedisFault | undefined;
  /** `at`: when it refused a command for the last time, by the monotonic clock. */
  #refusal: (RedisFault & { at: number }) | undefined;
  /** What is wrong with how it is set up. */
  #setup: RedisFault | undefined;

  private constructor(deps: RedisConnectionsDeps, create: (options: Options) => Redis) {
    this.#deps = deps;
    this.#create = create;
    this.producer = this.#connect(policies.producer);
    this.producer.on('ready', () => void this.#checkAgain());
  }

  /** Loads the library and begins to connect. */
  static async open(deps: RedisConnectionsDeps): Promise<RedisConnections> {
    const { Redis } = await import('ioredis');
    return new RedisConnections(deps, (options) => new Redis(deps.url, options));
  }

  /** Whether commands are likely to be answered now. */
  get isUp(): boolean {
    return this.producer.status === 'ready' && this.#deps.monotonic() >= this.#restUntil;
  }

  /** What is wrong with Redis, if anything; looks again at how it is set up where something was wrong with that. */
  async fault(): Promise<RedisFault | undefined> {
    if (this.#setup) await this.#look();
    return this.#away ?? this.#refusal ?? this.#setup;
  }

  /** A connection of its own for what blocks or listens, which waits for Redis without end. */
  connectConsumer(): Redis {
    return this.#connect(policies.consumer);
  }

  /**
   * Runs commands where Redis is there, and answers undefined where it is not or does not answer in time: half a second at
   * most. Never rejects, because whatever uses Redis has another way.
   */
  async attempt<T>(work: (redis: Redis) => Promise<T>): Promise<{ value: T } | undefined> {
    if (!this.isUp) return undefined;
    try {
      const value = await within(COMMAND_MS, work(this.producer), () => new Error(TIMED_OUT));
      this.#restUntil = Number.NEGATIVE_INFINITY;
      this.#back();
      return { value };
    } catch (error) {
      if (isTimeout(error)) this.#restUntil = this.#deps.monotonic() + REST_MS;
      this.report(error);
      return undefined;
    }
  }

  /** Logs that Redis is away or refuses what svc needs, once until that is over. */
  report(error: unknown): void {
    if (this.#open.size === 0) return;
    const reason = this.#withoutPassword(error);
    const since = this.#deps.now();
    if (isRefusal(error)) {
      const at = this.#deps.monotonic();
      if (this.#refusal) return void (this.#refusal.at = at);
      const message = `Redis refuses commands: tasks start more slowly until that is corrected. ${adviceOn(reason)}`;
      this.#refusal = { since, message, isAway: false, at };
      this.#deps.log.warn({ reason }, message);
    } else if (!this.#away) {
      this.#away = { since, message: AWAY, isAway: true };
      this.#deps.log.warn({ reason }, AWAY);
    }
  }

  /**
   * Waits a moment for Redis. Throws an `AppError` where it refuses the password, may drop keys or is a cluster; one that is
   * away is checked as soon as it is there.
   */
  async check(): Promise<void> {
    const ready = Promise.withResolvers<void>();
    const failed = (error: Error) =>
      isRefusedCaller(error) ? ready.reject(this.#refused(error)) : ready.resolve();
    this.producer.once('ready', ready.resolve).once('error', failed);
    const timer = setTimeout(ready.resolve, CONNECT_MS);
    try {
      if (this.producer.status !== 'ready') await ready.promise;
    } finally {
      clearTimeout(timer);
      this.producer.off('ready', ready.resolve).off('error', failed);
    }
    const problem = await this.#setupProblem();
    if (problem !== undefined) throw new AppError('configuration', problem);
  }

  close(): void {
    const open = [...this.#open];
    this.#open.clear();
    for (const redis of open) redis.disconnect();
  }

  #connect(options: Options): Redis {
    const redis = this.#create(options);
    this.#open.add(redis);
    redis.on('error', (error) => this.report(error));
    redis.on('ready', () => this.#back());
    redis.on('end', () => this.#open.delete(redis));
    return redis;
  }

  #back(): void {
    if (this.#away) {
      this.#away = undefined;
      this.#deps.log.info({}, 'Redis is back');
    }
    if (this.#refusal && this.#deps.monotonic() - this.#refusal.at >= REFUSAL_MS) {
      this.#refusal = undefined;
      this.#deps.log.info({}, 'Redis takes all commands again');
    }
  }

  async #checkAgain(): Promise<void> {
    await this.#look();
    if (this.#setup) this.#deps.log.error({ reason: this.#setup.message }, 'Redis is not set up for svc');
  }

  async #look(): Promise<void> {
    const message = await this.#setupProblem();
    if (message === undefined) this.#setup = undefined;
    else this.#setup = { since: this.#setup?.since ?? this.#deps.now(), message, isAway: false };
  }

  /** INFO says it where CONFIG is forbidden too, as with hosted servers. */
  async #setupProblem(): Promise<string | undefined> {
    const info = await this.attempt((redis) => redis.info());
    return info && setupProblemOf(info.value);
  }

  #refused(error: Error): AppError {
    const answer = this.#withoutPassword(error);
    const advice = adviceOn(answer);
    // What Redis says of a missing password is about its protocol.
    return new AppError('configuration', answer.startsWith('NOAUTH') ? advice : `${advice}: ${answer}`);
  }

  #withoutPassword(error: unknown): string {
    const { password } = new URL(this.#deps.url);
    const message = messageOf(error) || (error instanceof AggregateError ? messageOf(error.errors[0]) : '');
    return [password, decodeURIComponent(password)].reduce(
      (text, secret) => (secret === '' ? text : text.replaceAll(secret, '***')),
      message,
    );
  }
}

/** As the library says it of a command; some of its waits are for something else. */
const TIMED_OUT = 'Command timed out';
const isTimeout = (error: unknown): boolean => messageOf(error) === TIMED_OUT;
