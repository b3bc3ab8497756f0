import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import { auditPages } from '../audit/audit-store.ts';
import { verifyLog } from '../audit/verify-log.ts';
import { SettingsFile } from '../config/settings-file.ts';
import { AppError } from '../errors.ts';
import { makeDirectory } from '../paths/make-directory.ts';
import { IDENTITY_CHECK } from '../secrets/key-ring.ts';
import { copiedTables } from '../storage/copy/copied-tables.ts';
import {
  compareRows,
  type CopyOptions,
  copyRows,
  countRows,
  type TableContent,
} from '../storage/copy/copy-rows.ts';
import { PostgresRows } from '../storage/copy/postgres-rows.ts';
import { SqliteRows } from '../storage/copy/sqlite-rows.ts';
import { lockRestingHome } from './lock-resting-home.ts';
import { MOVED_TO, movedMark, refuseMoved } from '../storage/moved-mark.ts';
import { migratePostgres, requireKnownSchema } from '../storage/postgres/migrate-postgres.ts';
import { onPostgres } from '../storage/postgres/start-postgres.ts';
import { syncDirectory } from '../storage/private-file.ts';
import { type CopyReport, type MoveOptions, nameOfServer } from './copy-report.ts';
import { whileClusterRests } from './hold-cluster.ts';
import { kyselyOn, lastTaskNumber, readSettings, readStateOf } from './postgres-side.ts';
import { requireIdentity } from './require-identity.ts';
import { indexTexts, migrateSqlite, readStateIn } from './sqlite-side.ts';

/**
 * Copies a PostgreSQL database to this home: to a file that takes the place of the database when all its rows are compared,
 * and marks the old one. Interrupted, it leaves what was there, or the new database without the mark, which the next copy
 * sets. A database whose data was copied away before is kept under another name.
 */
export async function copyToSqlite(options: MoveOptions): Promise<CopyReport> {
  const { locations, server } = options;
  for (const directory of [locations.data, locations.config]) makeDirectory(directory);
  const lock = await lockRestingHome(locations);
  try {
    return await onPostgres(server, 'svc-copy', async (client) => {
      await migratePostgres(client);
      return whileClusterRests(client, async () => {
        await requireKnownSchema(client);
        refuseMoved(await readStateOf(client, MOVED_TO));
        requireIdentity(locations.identityFile, await readStateOf(client, IDENTITY_CHECK));
        const report = await copy(options, client);
        await mark(options, client);
        return report;
      });
    });
  } finally {
    lock.release();
  }
}

async function copy(options: MoveOptions, client: pg.ClientBase): Promise<CopyReport> {
  const { locations, server } = options;
  const file = locations.databaseFile;
  const there = existsSync(file) ? await findExisting(options, client) : 'empty';
  const staged = `${file}.copy`;
  const tables = Array.isArray(there) ? there : await stage(options, client, staged);
  const settings = await storeSettings(options, client);
  const keptAs = there === 'moved' ? keepAside(file, options.now) : undefined;
  if (!Array.isArray(there)) {
    for (const left of [`${file}-wal`, `${file}-shm`]) rmSync(left, { force: true });
    renameSync(staged, file);
    syncDirectory(locations.data);
  }
  return {
    from: nameOfServer(server),
    to: file,
    tables,
    changed: 0,
    audit: await verifyLog(auditPages(kyselyOn(client)), join(locations.data, 'archive')),
    settings,
    wasComplete: Array.isArray(there),
    ...(keptAs !== undefined && { keptAs }),
  };
}

/** What the database of this home is: one without rows, one that was copied away, or what an interrupted copy has made. */
async function findExisting(
  { locations, onProgress, signal }: MoveOptions,
  client: pg.ClientBase,
): Promise<'empty' | 'moved' | TableContent[]> {
  await migrateSqlite(locations.databaseFile);
  const native = new DatabaseSync(locations.databaseFile);
  try {
    if (readStateIn(native, MOVED_TO) !== undefined) return 'moved';
    const tables = copiedTables(native);
    const target = new SqliteRows(native);
    if ((await countRows(target, tables)) === 0) return 'empty';
    const same = await compareRows({ tables, source: new PostgresRows(client), target, onProgress, signal });
    if (same) return same;
    throw new AppError(
      'conflict',
      `${locations.databaseFile} holds other rows already. Move it away, or copy to another home: SVC_HOME`,
    );
  } finally {
    native.close();
  }
}

/** Makes the whole database in a file beside its place, durable. */
async function stage(
  { onProgress, signal }: MoveOptions,
  client: pg.ClientBase,
  staged: string,
): Promise<TableContent[]> {
  const remove = () => {
    for (const file of [staged, `${staged}-wal`, `${staged}-shm`]) rmSync(file, { force: true });
  };
  remove();
  try {
    const tables = await fillSqlite(client, staged, { onProgress, signal, isIndexed: true });
    const written = openSync(staged, 'r');
    fsyncSync(written);
    closeSync(written);
    return tables;
  } catch (error) {
    remove();
    throw error;
  }
}

interface FillOptions extends Pick<CopyOptions, 'onProgress' | 'signal'> {
  /** Whether the texts of tasks are indexed, which a daemon does at its start for those that are not. */
  isIndexed: boolean;
}

/** Copies all rows to a new file in one transaction and compares them. */
export async function fillSqlite(
  client: pg.ClientBase,
  file: string,
  { onProgress, signal, isIndexed }: FillOptions,
): Promise<TableContent[]> {
  await migrateSqlite(file);
  const native = new DatabaseSync(file);
  try {
    native.exec('begin immediate');
    const tables = copiedTables(native);
    const source = new PostgresRows(client);
    const copied = await copyRows({ tables, source, target: new SqliteRows(native), onProgress, signal });
    if (isIndexed) {
      onProgress?.({ text: 'indexing the texts of tasks', done: 0, total: 0 });
      await indexTexts(native, await lastTaskNumber(client));
    }
    native.exec('commit');
    return copied;
  } finally {
    native.close();
  }
}

/** The settings of the cluster take the place of those in the file, which had no effect beside them. */
async function storeSettings(
  { locations, config }: Pick<MoveOptions, 'locations' | 'config'>,
  client: pg.ClientBase,
): Promise<string[]> {
  const stored = await readSettings(client);
  if (stored.length === 0) return [];
  const inFileOnly = config.ignoredInFile().filter((key) => stored.every((change) => change.key !== key));
  const changes = [...stored, ...inFileOnly.map((key) => ({ key, value: null }))];
  await new SettingsFile(locations.settingsFile).write(changes, () => undefined);
  return stored.filter(({ value }) => value !== null).map(({ key }) => key);
}

/** Gives a database that was copied away a name of its own; its log is in it since it was closed. */
function keepAside(file: string, now: Date): string {
  const kept = `${file}.before-copy-${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
  renameSync(file, kept);
  return kept;
}

async function mark({ locations, now }: MoveOptions, client: pg.ClientBase): Promise<void> {
  const to = `${locations.databaseFile} on ${hostname()}`;
  await client.query(
    'insert into state (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [MOVED_TO, movedMark({ to, at: now.toISOString(), engine: 'sqlite' })],
  );
}
