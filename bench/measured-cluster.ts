import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../test/helpers/postgres-server.ts';
import { placeSeed } from '../test/helpers/pro-environment.ts';
import { startRedis } from './redis.ts';

export const everySecond = ['--appendonly', 'yes', '--appendfsync', 'everysec'];

/** A PostgreSQL with its default durability and a Redis, for daemons that are measured in mode pro. */
export class MeasuredCluster implements AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly #redis: Awaited<ReturnType<typeof startRedis>>;
  readonly #homes: string[] = [];

  private constructor(postgres: PostgresServer, redis: Awaited<ReturnType<typeof startRedis>>) {
    this.postgres = postgres;
    this.#redis = redis;
  }

  static async start(): Promise<MeasuredCluster> {
    return new MeasuredCluster(await startPostgres({ isMeasured: true }), await startRedis(everySecond));
  }

  /** The environment of a daemon with a home of its own, as one of those that share this database. */
  environment(databaseUrl: string): Record<string, string> {
    const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    this.#homes.push(home);
    placeSeed(join(home, 'identity'), '5e'.repeat(32));
    return {
      SVC_HOME: home,
      SVC_MODE: 'pro',
      DATABASE_URL: databaseUrl,
      QUEUE_STORE_URL: `redis://127.0.0.1:${this.#redis.port}`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.postgres.stop();
    this.#redis.stop();
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true });
  }
}
