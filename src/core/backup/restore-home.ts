import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import { makeDirectory } from '../paths/make-directory.ts';
import { parseMasterSeed } from '../../contract/master-seed.ts';
import { lockDataDirectory } from '../storage/data-lock.ts';
import { syncDirectory } from '../storage/private-file.ts';
import { type BackupManifest, DATABASE, IDENTITY, MEMORY, SETTINGS } from './backup-manifest.ts';
import { checkBackup, isSeedOf, requireUsable } from './check-backup.ts';
import type { OnUnpack } from './unpack-backup.ts';
import { commitRestore, followStored, journalFileOf, type RestoreJournal } from './restore-journal.ts';
import { freeStamp, keptPath, prepareDatabase, removeLeft, STAGING_PREFIX } from './restore-staging.ts';

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
    prepareDatabase(join(staging, DATABASE), { replacedFile: locations.databaseFile, isPaused });
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
    const journal: RestoreJournal = {
      keep: replaced.map((path) => ({ from: path, to: keptPath(path, stamp) })),
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

function isOwnIdentity(identityFile: string, databaseFile: string): boolean {
  const content = existsSync(identityFile) ? readFileSync(identityFile) : undefined;
  const seed = content && parseMasterSeed(content);
  return seed !== undefined && isSeedOf(databaseFile, Buffer.from(seed));
}
