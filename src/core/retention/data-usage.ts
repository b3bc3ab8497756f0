import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DataUsage } from '../../contract/data.ts';
import type { Locations } from '../../contract/locations.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { isUpgradeCopy } from '../storage/sqlite/upgrade-copy.ts';

/** Runs in a thread, because it reads the whole file. */
const measureInThread = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { readOnly: true, timeout: 5000 });
  const sizes = new Map();
  const owners = new Map(database.prepare('select name, tbl_name from sqlite_schema').all().map((row) => [row.name, row.tbl_name]));
  for (const { name, bytes } of database.prepare('select name, sum(pgsize) as bytes from dbstat group by name').all()) {
    const owner = owners.get(name) ?? name;
    const table = owner.startsWith('task_text_') ? 'task_text' : owner;
    sizes.set(table, (sizes.get(table) ?? 0) + bytes);
  }
  const tables = [...sizes].filter(([name]) => !name.startsWith('sqlite_')).map(([name, bytes]) => ({
    name,
    rows: name === 'task_text' ? 0 : database.prepare('select count(*) as n from "' + name + '"').get().n,
    bytes,
  }));
  parentPort.postMessage(tables.sort((a, b) => b.bytes - a.bytes));
  database.close();
`;

/** Measures the tables of the database and the directories next to it. */
export async function measureUsage(
  database: Database,
  { data, state, databaseFile, logFile }: Locations,
): Promise<Pick<DataUsage, 'database' | 'disk' | 'tables' | 'directories'>> {
  const { pageBytes, pages, freePages, isIncremental } = database.space.read();
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
    database: {
      file: databaseFile,
      bytes: pageBytes * pages,
      walBytes: statSync(`${databaseFile}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      freeBytes: pageBytes * freePages,
      incrementalVacuum: isIncremental,
    },
    disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize },
    tables: await measureTables(databaseFile),
    directories: directories.filter(({ files }) => files > 0),
  };
}

/** The homes that restores have replaced. */
const keptByRestores = (data: string): string[] =>
  readdirSync(data)
    .filter((name) => name.startsWith('before-restore-'))
    .map((name) => join(data, name));

const measureTables = (file: string) =>
  new Promise<DataUsage['tables']>((resolve, reject) => {
    const worker = new Worker(measureInThread, { eval: true, workerData: file });
    worker.on('message', resolve);
    worker.on('error', (error) =>
      reject(
        new AppError('unavailable', 'The database could not be measured. The log says why: svc daemon logs', {
          cause: error,
          isLasting: true,
        }),
      ),
    );
  });

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
