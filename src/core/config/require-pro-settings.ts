import { existsSync } from 'node:fs';
import { AppError } from '../errors.ts';
import type { Config } from './config.ts';

/** Throws where mode `pro` cannot start for want of a database, Redis or a master seed; names all that is missing. */
export function requireProSettings(config: Pick<Config, 'get'>, identityFile: string): void {
  if (config.get('mode') !== 'pro') return;
  const missing = [
    ...(config.get('storage.url') === undefined
      ? ['the URL of PostgreSQL in DATABASE_URL (storage.url)']
      : []),
    ...(config.get('queue.redis.url') === undefined
      ? ['the URL of Redis in QUEUE_STORE_URL (queue.redis.url)']
      : []),
    ...(existsSync(identityFile)
      ? []
      : [`the master seed of the cluster in SVC_MASTER_SEED_FILE (there is no file ${identityFile})`]),
  ];
  if (missing.length === 0) return;
  const next = existsSync(identityFile)
    ? ''
    : '. Copy it from another daemon of the cluster, or create it for the first one: svc cluster init';
  throw new AppError(
    'configuration',
    `Mode pro needs ${new Intl.ListFormat('en-GB').format(missing)}${next}`,
  );
}
