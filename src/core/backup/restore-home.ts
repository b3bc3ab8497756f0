import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Locations } from '../../contract/locations.ts';
import { makeDirectory } from '../paths/make-directory.ts';
import { parseMasterSeed } from '../../contract/master-seed.ts';
import { lockDataDirectory } from '../storage/data-lock.ts';
import { syncDirectory } from '../storage/private-file.ts';
import { type BackupManifest, DATABASE, IDENTITY, MEMORY, SETTINGS } from './backup-manifest.ts';
import { checkBackup, isSeedOf, requireUsable } from './check-backup.ts';
import type { OnUnpack } from './unpack-backup.ts';
import { commitRestore, followStored, journalFileOf, type RestoreJournal } from './restore-journal.ts';

export interface RestoreOptions {
  file: string;
  locations: Locations;
  version: string;
  now: Date;
  /** Restores with a paused queue, so that the tasks of the backup wait. */
  isPaused?: boolean;
  onUnpack?: OnUnpack;
}

export interface RestoreReport {
  manifest: BackupManifest;
  restored: string[];
  /** Where that is now what was there before. */
  keptIn: string[];
  /** `missing`: the secrets of the backup cannot be read before its identity is restored, too. */
  identity: 'restored' | 'kept' | 'missing';
}

const STAGING_PREFIX = '.restore-';

/**
 * Replaces a home that no daemon uses by a backup. Everything is unpacked and checked before anything is touched; what was
 * there is kept in a dated directory. Killed at any moment, it leaves the old home or, at the next start, the new one.
 */
export async function restoreHome(options: RestoreOptions): Promise<RestoreReport> {
  const { locations } = options;
  for (const directory of [locations.data, locations.config]) makeDirectory(directory);
  const lock = await lockDataDirectory(join(locations.data, 'daemon.lock'), locations.databaseFile);
  try {
    followStored(locations);
    removeLeft(locations);
    return await restore(options);
  } finally {
    lock.release();
  }
}

async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { file, locations, version, now, isPaused = false, onUnpack } = options;
  const stamp = freeStamp(locations, now);
  const staging = join(locations.data, `${STAGING_PREFIX}${stamp}`);
  const settingsStaging = join(dirname(locations.settingsFile), `${STAGING_PREFIX}${stamp}`);
  const remove = [...new Set([staging, settingsStaging])];
  try {
    mkdirSync(staging, { mode: 0o700 });
    const unpacked = await checkBackup(file, staging, onUnpack);
    requireUsable(staging, unpacked, version);
    prepareDatabase(join(staging, DATABASE), locations.databaseFile, isPaused);
    // A move works within one file system only.
    if (settingsStaging !== staging && existsSync(join(staging, SETTINGS))) {
      mkdirSync(settingsStaging, { mode: 0o700 });
      copyFileSync(join(staging, SETTINGS), join(settingsStaging, SETTINGS));
      syncDirectory(settingsStaging);
    }
    const identity = unpacked.hasIdentity
      ? 'restored'
      : isOwnIdentity(locations.identityFile, join(staging, DATABASE))
        ? 'kept'
        : 'missing';
    const replaced = replacedPaths(locations, identity).filter((path) => existsSync(path));
    const keptFor = (path: string) =>
      join(dirname(path), `before-restore-${stamp}`, path.slice(dirname(path).length + 1));
    const journal: RestoreJournal = {
      keep: replaced.map((path) => ({ from: path, to: keptFor(path) })),
      place: placesOf(locations, staging, settingsStaging).filter(({ from }) => existsSync(from)),
      remove,
    };
    commitRestore(locations, journal);
    return {
      manifest: unpacked.manifest,
      restored: journal.place.map(({ to }) => to),
      keptIn: [...new Set(journal.keep.map(({ to }) => dirname(to)))],
      identity,
    };
  } finally {
    // A journal that is still there is followed at the next start.
    if (!existsSync(journalFileOf(locations)))
      for (const directory of remove) rmSync(directory, { recursive: true, force: true });
  }
}

const placesOf = (locations: Locations, staging: string, settingsStaging: string) => [
  { from: join(staging, DATABASE), to: locations.databaseFile },
  { from: join(staging, MEMORY), to: join(locations.data, MEMORY) },
  { from: join(settingsStaging, SETTINGS), to: locations.settingsFile },
  { from: join(staging, 'archive'), to: join(locations.data, 'archive') },
  { from: join(staging, IDENTITY), to: locations.identityFile },
];

/** What belongs to the home that was there. Its session and its setup code would not open the restored one. */
function replacedPaths(locations: Locations, identity: RestoreReport['identity']): string[] {
  const { data, databaseFile, settingsFile, identityFile, ownerSessionFile, setupCodeFile } = locations;
  return [
    ...[databaseFile, join(data, MEMORY)].flatMap((file) => [file, `${file}-wal`, `${file}-shm`]),
    settingsFile,
    join(data, 'archive'),
    ownerSessionFile,
    setupCodeFile,
    ...(identity === 'kept' ? [] : [identityFile]),
  ];
}

/**
 * The mark by which a daemon finds processes that it left behind is the one of the home that is replaced, never the one of
 * the backup: the home that this was made of may be in use on the same machine.
 */
function prepareDatabase(file: string, replacedFile: string, isPaused: boolean): void {
  const installation = existsSync(replacedFile) ? readInstallation(replacedFile) : undefined;
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma trusted_schema = off; delete from state where key = 'installation'");
    const put = database.prepare('insert or replace into state (key, value) values (?, ?)');
    if (installation !== undefined) put.run('installation', installation);
    if (isPaused) put.run('queue_paused', 'true');
  } finally {
    database.close();
  }
}

/** A database that is damaged or from long ago has none to offer, and may be why a backup is restored. */
function readInstallation(file: string): string | undefined {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const row = database.prepare("select value from state where key = 'installation'").get();
      return row === undefined ? undefined : String(row['value']);
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function isOwnIdentity(identityFile: string, databaseFile: string): boolean {
  const content = existsSync(identityFile) ? readFileSync(identityFile) : undefined;
  const seed = content && parseMasterSeed(content);
  return seed !== undefined && isSeedOf(databaseFile, Buffer.from(seed));
}

/** The time in the names of this restore: 2026-11-23T08-30-00Z, numbered where that is taken. */
function freeStamp({ data, config }: Locations, now: Date): string {
  const base = `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
  const isTaken = (stamp: string) =>
    [data, config].some((directory) => existsSync(join(directory, `before-restore-${stamp}`)));
  let stamp = base;
  for (let number = 2; isTaken(stamp); number++) stamp = `${base}-${number}`;
  return stamp;
}

/** Removes what a restore that was killed before it changed anything has unpacked. */
function removeLeft({ data, config }: Locations): void {
  for (const directory of new Set([data, config]))
    for (const name of readdirSync(directory))
      if (name.startsWith(STAGING_PREFIX)) rmSync(join(directory, name), { recursive: true, force: true });
}
