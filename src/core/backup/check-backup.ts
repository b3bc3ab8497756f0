import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isNewerVersion } from '../../contract/is-newer-version.ts';
import { Config } from '../config/config.ts';
import { AppError, messageOf } from '../errors.ts';
import { IDENTITY_CHECK, KeyRing } from '../secrets/key-ring.ts';
import { parseMasterSeed } from '../../contract/master-seed.ts';
import { allMigrations } from '../storage/sqlite/migrate.ts';
import { DATABASE, IDENTITY, MEMORY, SETTINGS } from './backup-manifest.ts';
import { findDamage } from './check-database.ts';
import { damaged } from './damaged.ts';
import { type OnUnpack, unpackBackup, type UnpackedBackup } from './unpack-backup.ts';

/**
 * Unpacks a backup into an empty directory and checks everything in it: hashes, the integrity of its databases, and that
 * its identity is the one of its database.
 */
export async function checkBackup(
  file: string,
  directory: string,
  onUnpack?: OnUnpack,
): Promise<UnpackedBackup> {
  const unpacked = await unpackBackup(file, directory, onUnpack);
  for (const name of [DATABASE, MEMORY]) {
    const path = join(directory, name);
    const damage = existsSync(path) ? await findDamage(path) : undefined;
    if (damage !== undefined) throw damaged(`${name} is damaged (${damage})`);
  }
  if (unpacked.hasIdentity) {
    const seed = parseMasterSeed(readFileSync(join(directory, IDENTITY)));
    if (!seed || !isSeedOf(join(directory, DATABASE), Buffer.from(seed)))
      throw damaged('its identity is not the one of its database');
  }
  return unpacked;
}

/** Throws unless this svc can start with an unpacked backup. */
export function requireUsable(directory: string, { manifest }: UnpackedBackup, ownVersion: string): void {
  const newer = (why: string) =>
    new AppError(
      'validation',
      `This backup was made by svc ${manifest.svcVersion}, which is newer than this svc ${ownVersion}${why}. Upgrade svc first: svc upgrade`,
    );
  if (isNewerVersion(manifest.svcVersion, ownVersion)) throw newer('');
  const unknown = readColumn(join(directory, DATABASE), 'select name from schema_migrations').filter(
    (name) => !(name in allMigrations),
  );
  if (unknown.length > 0) throw newer(` (its database has ${unknown.join(', ')})`);
  try {
    new Config({ env: {}, settingsFile: join(directory, SETTINGS) });
  } catch (error) {
    throw new AppError('validation', `This svc cannot use the settings of the backup: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Whether a database was written under a seed. */
export function isSeedOf(databaseFile: string, seed: Buffer): boolean {
  const [check] = readColumn(databaseFile, `select value from state where key = '${IDENTITY_CHECK}'`);
  return check === new KeyRing(seed).check();
}

function readColumn(file: string, query: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    database.exec('pragma trusted_schema = off');
    return database
      .prepare(query)
      .all()
      .map((row) => String(Object.values(row)[0]));
  } catch (error) {
    throw damaged(`${DATABASE} is not a database of svc (${messageOf(error)})`, error);
  } finally {
    database.close();
  }
}
