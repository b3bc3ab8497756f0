import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
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

  /** The environment of a daemon that has the tasks of a home of mini, which `svc storage copy` brings here, and how long that takes. */
  async copyOf(home: string): Promise<{ environment: Record<string, string>; seconds: number }> {
    const { url } = await this.postgres.newDatabase('none');
    const environment = { ...this.environment(url), SVC_HOME: home };
    const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
    const began = performance.now();
    await execa(process.execPath, [program, 'storage', 'copy', '--to', 'postgres'], { env: environment });
    return { environment, seconds: (performance.now() - began) / 1000 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.postgres.stop();
    this.#redis.stop();
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true });
  }
}
