import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import type { Database, DatabaseSpace, TableUse } from '../database.ts';
import type { GroupCommit } from './group-commit.ts';
import type { CountingDatabase } from './sqlite-dialect.ts';
import type { StorageWatch } from './storage-watch.ts';

interface SpaceDeps {
  file: string;
  native: CountingDatabase;
  reader: DatabaseSync;
  write: Database['write'];
  group: GroupCommit;
  watch: StorageWatch;
}

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

const rewriteInThread = `
  const { workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(workerData, { timeout: 5000 });
  database.exec('pragma auto_vacuum = incremental; vacuum');
  database.close();
`;

/** Measures the file and returns its free pages to the disk. */
export function sqliteSpace({ file, native, reader, write, group, watch }: SpaceDeps): DatabaseSpace {
  const read = () => {
    const numberOf = (pragma: string) => Number(reader.prepare(`pragma ${pragma}`).get()?.[pragma]);
    return {
      pageBytes: numberOf('page_size'),
      pages: numberOf('page_count'),
      freePages: numberOf('freelist_count'),
      isIncremental: numberOf('auto_vacuum') === 2,
    };
  };
  return {
    read: async () => {
      const { pageBytes, pages, freePages, isIncremental } = read();
      return {
        location: file,
        bytes: pageBytes * pages,
        walBytes: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
        freeBytes: pageBytes * freePages,
        isIncremental,
      };
    },
    tables: () => measureTables(file),
    onDisk() {
      const directory = dirname(file);
      const { bavail, bsize } = existsSync(directory) ? statfsSync(directory) : { bavail: 0, bsize: 0 };
      const databaseBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      return { databaseBytes, diskFreeBytes: bavail * bsize };
    },
    async giveBack(bytes) {
      const before = read();
      const pages = Math.floor(bytes / before.pageBytes);
      if (!before.isIncremental || before.freePages === 0 || pages === 0) return 0;
      await write(async () => {
        native.writes++;
        // Executing it as a prepared statement would release one page only.
        native.database.exec(`pragma incremental_vacuum(${pages})`);
      });
      return Math.max(0, before.pages - read().pages) * before.pageBytes;
    },
    async rewrite() {
      const { bavail, bsize } = statfsSync(file);
      const needed = 2 * statSync(file).size;
      if (bavail * bsize < needed)
        throw new AppError(
          'storage_full',
          `Rewriting the database needs ${Math.ceil(needed / 2 ** 20)} MiB of free disk space.`,
        );
      watch.isRewriting = true;
      await group.runAlone(() => rewrite(file)).finally(() => (watch.isRewriting = false));
    },
  };
}

/** Rewrites the file in a thread with its own connection, so that the event loop continues. */
const rewrite = (file: string) =>
  new Promise<void>((resolve, reject) => {
    const worker = new Worker(rewriteInThread, { eval: true, workerData: file });
    worker.on('error', (error) =>
      reject(
        new AppError(
          'unavailable',
          'The database could not be rewritten. The log says why: svc daemon logs',
          {
            cause: error,
            isLasting: true,
          },
        ),
      ),
    );
    worker.on('exit', () => resolve());
  });

const measureTables = (file: string) =>
  new Promise<TableUse[]>((resolve, reject) => {
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
