import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { newPostgresDatabase } from './postgres-server.ts';
import { environmentNameOf } from '../../src/core/config/settings.ts';
import { newPrefix, type RedisServer, sharedRedis } from './redis-server.ts';

/** What daemons need to form a cluster of their own. */
export interface ProEnvironment {
  env: Record<string, string>;
  /** The master seed, in hex. */
  seed: string;
  remove(): Promise<void>;
}

/** A new database and a Redis, its own or that of all tests, for daemons that a test starts in mode pro. */
export async function newProEnvironment(ownRedis?: Pick<RedisServer, 'url'>): Promise<ProEnvironment> {
  const [database, redis] = await Promise.all([newPostgresDatabase(), ownRedis ?? sharedRedis()]);
  return {
    env: {
      SVC_MODE: 'pro',
      DATABASE_URL: database.url,
      QUEUE_STORE_URL: redis.url,
      // Clusters with one Redis are kept apart by it.
      [environmentNameOf('queue.name')]: newPrefix(),
    },
    seed: randomBytes(32).toString('hex'),
    remove: () => database.drop(),
  };
}

/** Gives the home of a daemon the seed of its cluster. */
export function placeSeed(identityFile: string, seed: string): void {
  mkdirSync(dirname(identityFile), { recursive: true, mode: 0o700 });
  writeFileSync(identityFile, `${seed}\n`, { mode: 0o600 });
}
