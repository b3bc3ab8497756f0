import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import type { AuditVerification } from '../../contract/audit.ts';
import type { Locations } from '../../contract/locations.ts';
import { parseMasterSeed } from '../../contract/master-seed.ts';
import { auditPages } from '../audit/audit-store.ts';
import { verifyLog } from '../audit/verify-log.ts';
import { Config } from '../config/config.ts';
import { nameOfServer } from '../moving/copy-report.ts';
import { fillClusterAtRest, fillPostgres, type FilledPostgres } from '../moving/fill-postgres.ts';
import { whileClusterRests } from '../moving/hold-cluster.ts';
import { kyselyOn } from '../moving/postgres-side.ts';
import { requireIdentity } from '../moving/require-identity.ts';
import { migrateSqlite, readStateIn } from '../moving/sqlite-side.ts';
import { makeDirectory } from '../paths/make-directory.ts';
import { IDENTITY_CHECK } from '../secrets/key-ring.ts';
import { writeMasterSeed } from '../secrets/master-seed.ts';
import type { CopyOptions } from '../storage/copy/copy-rows.ts';
import { lockRestingHome } from '../moving/lock-resting-home.ts';
import type { PostgresServer } from '../storage/postgres/connection-options.ts';
import { migratePostgres } from '../storage/postgres/migrate-postgres.ts';
import { onPostgres } from '../storage/postgres/start-postgres.ts';
import { type BackupManifest, DATABASE, IDENTITY, SETTINGS } from './backup-manifest.ts';
import { checkBackup, requireUsable } from './check-backup.ts';
import { placeArchives } from './place-archives.ts';
import { freeStamp, prepareDatabase, removeLeft, STAGING_PREFIX } from './restore-staging.ts';
import type { OnUnpack } from './unpack-backup.ts';

export interface RestoreClusterOptions extends Pick<CopyOptions, 'onProgress' | 'signal'> {
  file: string;
  /** Where it is unpacked, the seed of the cluster is, and the archives of the audit log go. */
  locations: Locations;
  server: PostgresServer;
  version: string;
  now: Date;
  /** Restores with a paused queue, so that the tasks of the backup wait. */
  isPaused?: boolean;
  onUnpack?: OnUnpack;
}

export interface ClusterRestoreReport extends FilledPostgres {
  manifest: BackupManifest;
  /** Names the database, without a password. */
  to: string;
  audit: AuditVerification;
  /** Archives of the audit log, by path. */
  archives: string[];
  /** `restored` where the seed of the cluster was not there and came from the backup. */
  identity: 'restored' | 'kept';
}

/**
 * Restores a backup into an empty database of PostgreSQL, in one transaction that compares all rows before it commits.
 * Killed at any moment, it leaves the database empty or complete, and can be repeated.
 */
export async function restoreCluster(options: RestoreClusterOptions): Promise<ClusterRestoreReport> {
  const { locations, now } = options;
  for (const directory of [locations.data, locations.config]) makeDirectory(directory);
  const lock = await lockRestingHome(locations);
  try {
    removeLeft(locations);
    const stamp = freeStamp(locations, now);
    const staging = join(locations.data, `${STAGING_PREFIX}${stamp}`);
    try {
      mkdirSync(staging, { mode: 0o700 });
      return await restore(options, staging, stamp);
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  } finally {
    lock.release();
  }
}

async function restore(
  options: RestoreClusterOptions,
  staging: string,
  stamp: string,
): Promise<ClusterRestoreReport> {
  const { file, version, server, isPaused = false, onUnpack } = options;
  // What can be refused at once is refused before a large file is read.
  await onPostgres(server, 'svc-restore', async (client) => {
    await migratePostgres(client);
    await whileClusterRests(client, async () => undefined);
  });
  const unpacked = await checkBackup(file, staging, onUnpack);
  requireUsable(staging, unpacked, version);
  const database = join(staging, DATABASE);
  prepareDatabase(database, { isPaused });
  await migrateSqlite(database);
  const native = new DatabaseSync(database);
  try {
    const filled = await onPostgres(server, 'svc-restore', (client) =>
      fillClusterAtRest(client, () => fill(options, { native, client, staging, stamp })),
    );
    return { manifest: unpacked.manifest, to: nameOfServer(server), ...filled };
  } finally {
    native.close();
  }
}

interface Staged {
  native: DatabaseSync;
  client: pg.ClientBase;
  staging: string;
  stamp: string;
}

async function fill(
  { locations, server, now, onProgress, signal }: RestoreClusterOptions,
  { native, client, staging, stamp }: Staged,
): Promise<Omit<ClusterRestoreReport, 'manifest' | 'to'>> {
  const { identityFile } = locations;
  const ownSeed = join(staging, IDENTITY);
  const isSeedMissing = !existsSync(identityFile) && existsSync(ownSeed);
  const keys = requireIdentity(isSeedMissing ? ownSeed : identityFile, readStateIn(native, IDENTITY_CHECK));
  const config = new Config({ env: {}, settingsFile: join(staging, SETTINGS), flags: { mode: 'pro' } });
  config.useBox(keys.box);
  const refusal = `${nameOfServer(server)} is not empty, and a restore replaces nothing. Create an empty database, name it in DATABASE_URL and try again: createdb --encoding=UTF8 svc_restored`;
  const filled = await fillPostgres(native, client, { config, now, refusal, onProgress, signal });
  if (isSeedMissing) writeMasterSeed(identityFile, seedIn(ownSeed));
  // The archives come before the commit: once the rows are there, so are they.
  const archives = placeArchives(join(staging, 'archive'), join(locations.data, 'archive'), stamp);
  return {
    ...filled,
    archives,
    audit: await verifyLog(auditPages(kyselyOn(client)), join(locations.data, 'archive')),
    identity: isSeedMissing ? 'restored' : 'kept',
  };
}

/** The check of the backup has read it before. */
const seedIn = (file: string): Buffer => Buffer.from(parseMasterSeed(readFileSync(file)) ?? []);
