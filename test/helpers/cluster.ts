import { describe } from 'vitest';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.ts';
import { hasPostgres } from './postgres-server.ts';
import { newProEnvironment, type ProEnvironment } from './pro-environment.ts';
import { hasRedis, type RedisServer } from './redis-server.ts';

/** Tests of several daemons, skipped aloud where PostgreSQL or Redis is missing. */
export const describeCluster = describe.skipIf(!hasPostgres || !hasRedis);

export interface TestCluster extends AsyncDisposable {
  daemons: TestDaemon[];
  /** For daemons that join later. */
  environment: ProEnvironment;
}

/** Daemons in this process that share a database and a Redis, which may be one of their own. */
export async function startCluster(
  count: number,
  optionsOf: TestDaemonOptions | ((index: number) => TestDaemonOptions) = {},
  redis?: RedisServer,
): Promise<TestCluster> {
  const cluster = await newProEnvironment(redis);
  const daemons: TestDaemon[] = [];
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon[Symbol.asyncDispose]()));
    await cluster.remove();
  };
  try {
    for (let index = 0; index < count; index++) {
      const options = typeof optionsOf === 'function' ? optionsOf(index) : optionsOf;
      daemons.push(await startDaemon({ cluster, ...options }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { daemons, environment: cluster, [Symbol.asyncDispose]: stop };
}
