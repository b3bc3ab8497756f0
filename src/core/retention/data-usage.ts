import { existsSync, readdirSync, statfsSync } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DataUsage } from '../../contract/data.ts';
import type { Locations } from '../../contract/locations.ts';
import type { Database } from '../storage/database.ts';
import { isUpgradeCopy } from '../storage/sqlite/upgrade-copy.ts';

/** Measures the tables of the database and the directories next to it. */
export async function measureUsage(
  database: Database,
  { data, state, databaseFile, logFile }: Locations,
): Promise<Pick<DataUsage, 'database' | 'disk' | 'tables' | 'directories'>> {
  const { location, isIncremental, ...sizes } = await database.space.read();
  const { bavail, blocks, bsize } = statfsSync(data);
  const directories = [
    await measure('workspaces', join(data, 'workspaces')),
    await measure('worktrees', join(data, 'worktrees')),
    await measure('outputs', join(data, 'outputs')),
    await measure('kept files', join(data, 'kept')),
    await measure('memory', join(data, 'memory')),
    await measure('archives', join(data, 'archive')),
    await measure('backups', join(data, 'backups')),
    ...(await Promise.all(keptByRestores(data).map((path) => measure('kept by a restore', path)))),
    await measure('logs', state, (name) => name.startsWith(basename(logFile))),
    await measure('copies before upgrades', dirname(databaseFile), (name) =>
      isUpgradeCopy(name, databaseFile),
    ),
  ];
  return {
    database: { file: location, ...sizes, incrementalVacuum: isIncremental },
    disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize },
    tables: await database.space.tables(),
    directories: directories.filter(({ files }) => files > 0),
  };
}

/** The homes that restores have replaced. */
const keptByRestores = (data: string): string[] =>
  readdirSync(data)
    .filter((name) => name.startsWith('before-restore-'))
    .map((name) => join(data, name));

/** Measures all files below a directory, or with `fits` only matching files directly in it. */
async function measure(name: string, path: string, fits?: (name: string) => boolean) {
  let files = 0;
  let bytes = 0;
  if (existsSync(path))
    for await (const entry of await opendir(path, { recursive: fits === undefined })) {
      if (!entry.isFile() || fits?.(entry.name) === false) continue;
      // The file may have been removed in the meantime.
      bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
      files++;
    }
  return { name, path, files, bytes };
}
