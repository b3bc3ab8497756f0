import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '../../helpers/postgres-server.ts';
import type { ProEnvironment } from '../../helpers/pro-environment.ts';
import { RedisServer } from '../../helpers/redis-server.ts';
import type { Random } from '../crash/random.ts';
import { ClusterDaemon } from './cluster-daemon.ts';

/** A start fails while PostgreSQL is away. */
const START_TRIES = 60;

/** Daemons as users start them, on a PostgreSQL and a Redis that keep what they acknowledged. */
export class ClusterWorld implements AsyncDisposable {
  readonly daemons: ClusterDaemon[] = [];
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly databaseUrl: string;
  readonly random: Random;
  kills = 0;
  /** Where the commands of tasks write that they ran. */
  readonly ledger: string;
  readonly #folder: string;

  private constructor(deps: {
    postgres: PostgresServer;
    redis: RedisServer;
    databaseUrl: string;
    random: Random;
  }) {
    this.postgres = deps.postgres;
    this.redis = deps.redis;
    this.databaseUrl = deps.databaseUrl;
    this.random = deps.random;
    this.#folder = mkdtempSync(join(tmpdir(), 'svc-cluster-'));
    this.ledger = join(this.#folder, 'ledger');
    appendFileSync(this.ledger, '');
  }

  static async start(count: number, random: Random, env: Record<string, string> = {}): Promise<ClusterWorld> {
    const postgres = await startPostgres({ isDurable: true });
    const redis = await RedisServer.start();
    const { url } = await postgres.newDatabase();
    const world = new ClusterWorld({ postgres, redis, databaseUrl: url, random });
    const cluster: ProEnvironment = {
      env: { SVC_MODE: 'pro', DATABASE_URL: url, QUEUE_STORE_URL: redis.url },
      seed: '5e'.repeat(32),
      remove: async () => undefined,
    };
    for (let n = 0; n < count; n++) {
      const daemon = await ClusterDaemon.create(cluster, env);
      world.daemons.push(daemon);
      await world.startAgain(daemon);
    }
    return world;
  }

  anyDaemon(): ClusterDaemon {
    return this.random.pick(this.daemons);
  }

  async startAgain(daemon: ClusterDaemon): Promise<void> {
    for (let n = 0; n < START_TRIES; n++) if (await daemon.start()) return;
    throw new Error(`A daemon does not start: ${daemon.errors.slice(-5).join('\n')}`);
  }

  /** How often the command of each task ran. */
  ranTimes(): Map<string, number> {
    const times = new Map<string, number>();
    for (const id of readFileSync(this.ledger, 'utf8').split('\n').filter(Boolean))
      times.set(id, (times.get(id) ?? 0) + 1);
    return times;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.daemons.map((daemon) => daemon.end('SIGKILL')));
    for (const daemon of this.daemons) daemon.remove();
    await this.redis[Symbol.asyncDispose]();
    await this.postgres.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
