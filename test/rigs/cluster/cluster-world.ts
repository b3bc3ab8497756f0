import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import {
  type PostgresNode,
  type PostgresServer,
  type PostgresStandby,
  startPostgres,
} from '../../helpers/postgres-server.ts';
import { RedisServer } from '../../helpers/redis-server.ts';
import type { Random } from '../crash/random.ts';
import { WebhookReceiver } from '../crash/webhook-receiver.ts';
import { poll } from '../poll.ts';
import { ClusterDaemon } from './cluster-daemon.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';

/** A start fails while PostgreSQL is away. */
const START_TRIES = 60;
/** By how much the clocks of the machines are wrong; one is right. */
const CLOCKS_MS = [0, 60_000, -60_000];
const skewedClock = pathToFileURL(fileURLToPath(new URL('skewed-clock.mjs', import.meta.url))).href;

/** A daemon with its ways to what the daemons share. */
export interface ClusterMember {
  daemon: ClusterDaemon;
  ways: { postgres: TcpProxy; redis: TcpProxy };
}

/** Daemons as users start them, on a PostgreSQL and a Redis that keep what they acknowledged. */
export class ClusterWorld implements AsyncDisposable {
  readonly members: ClusterMember[] = [];
  readonly redis: RedisServer;
  readonly receiver: WebhookReceiver;
  readonly random: Random;
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-cluster-'));
  /** Where the commands of tasks write that they ran. */
  readonly ledger = join(this.folder, 'ledger');
  kills = 0;
  #postgres: PostgresNode;
  readonly #database: string;
  #probes = 0;

  private constructor(deps: {
    postgres: PostgresServer;
    redis: RedisServer;
    receiver: WebhookReceiver;
    database: string;
    random: Random;
  }) {
    this.#postgres = deps.postgres;
    this.redis = deps.redis;
    this.receiver = deps.receiver;
    this.#database = deps.database;
    this.random = deps.random;
    appendFileSync(this.ledger, '');
  }

  static async start(count: number, random: Random, env: Record<string, string> = {}): Promise<ClusterWorld> {
    const postgres = await startPostgres({ isDurable: true });
    const { url } = await postgres.newDatabase();
    const world = new ClusterWorld({
      postgres,
      redis: await RedisServer.start(),
      receiver: await WebhookReceiver.start(),
      database: new URL(url).pathname,
      random,
    });
    for (let n = 0; n < count; n++) await world.#addMember(n, env);
    return world;
  }

  get daemons(): ClusterDaemon[] {
    return this.members.map(({ daemon }) => daemon);
  }

  get postgres(): PostgresNode {
    return this.#postgres;
  }

  /** The database where it is now. */
  get databaseUrl(): string {
    return `postgres://svc@127.0.0.1:${this.#postgres.port}${this.#database}`;
  }

  anyDaemon(): ClusterDaemon {
    return this.random.pick(this.daemons);
  }

  nextProbe(): number {
    return ++this.#probes;
  }

  async startAgain(daemon: ClusterDaemon): Promise<void> {
    for (let n = 0; n < START_TRIES; n++) if (await daemon.start()) return;
    throw new Error(`A daemon does not start: ${daemon.errors.slice(-5).join('\n')}`);
  }

  /** A standby that has every commit that is acknowledged from now on. */
  async addSynchronousStandby(): Promise<PostgresStandby> {
    const standby = await this.#postgres.standby();
    await using client = await this.connect();
    await client.query(`alter system set synchronous_standby_names = '*'`);
    await client.query('select pg_reload_conf()');
    // A server that shows a standby as synchronous may still commit without it for a moment: one that waits for it does not.
    const isInStep = async () => {
      const { rows } = await client.query(`select 1 from pg_stat_replication where sync_state = 'sync'
        and exists (select 1 from pg_stat_activity where wait_event = 'SyncRep')`);
      return rows.length > 0 || undefined;
    };
    if (!(await poll(isInStep, 30_000))) throw new Error('The standby does not follow');
    return standby;
  }

  /** Leads all daemons to the standby, which is the database from now on. */
  moveTo(standby: PostgresStandby): void {
    this.#postgres = standby;
    for (const { ways } of this.members) {
      ways.postgres.target = standby.port;
      ways.postgres.breakOff();
    }
  }

  async connect(): Promise<pg.Client & AsyncDisposable> {
    const client = new pg.Client(this.databaseUrl);
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
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
    for (const { daemon, ways } of this.members) {
      daemon.remove();
      await ways.postgres[Symbol.asyncDispose]();
      await ways.redis[Symbol.asyncDispose]();
    }
    await this.redis[Symbol.asyncDispose]();
    await this.receiver[Symbol.asyncDispose]();
    await this.#postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #addMember(index: number, env: Record<string, string>): Promise<void> {
    const ways = {
      postgres: await TcpProxy.start(this.#postgres.port),
      redis: await TcpProxy.start(this.redis.port),
    };
    const urls = {
      SVC_MODE: 'pro',
      DATABASE_URL: `postgres://svc@127.0.0.1:${ways.postgres.port}${this.#database}`,
      QUEUE_STORE_URL: `redis://127.0.0.1:${ways.redis.port}`,
    };
    const clock = {
      NODE_OPTIONS: `--import=${skewedClock}`,
      SVC_RIG_CLOCK_MS: String(CLOCKS_MS[index % CLOCKS_MS.length]),
    };
    const daemon = await ClusterDaemon.create({ ...urls, ...clock, ...env });
    this.members.push({ daemon, ways });
    await this.startAgain(daemon);
  }
}
