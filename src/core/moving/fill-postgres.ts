import type { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
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
import { MOVED_TO, refuseMoved } from '../storage/moved-mark.ts';
import { indexAll } from '../storage/postgres/text-index.ts';
import { lastTaskSeq } from '../storage/sqlite/sqlite-engine.ts';
import { whileClusterRests } from './hold-cluster.ts';
import { completePostgres, kyselyOn, readStateOf } from './postgres-side.ts';

interface FillOptions extends Pick<CopyOptions, 'onProgress' | 'signal'> {
  /** The settings that the cluster gets, with the box that seals their secrets. */
  config: Pick<Config, 'importable'>;
  now: Date;
  /** Says that the database holds other rows, and what to do. */
  refusal: string;
}

export interface FilledPostgres {
  tables: TableContent[];
  /** Values with characters that PostgreSQL cannot store, which are U+FFFD there. */
  changed: number;
  /** The settings that the cluster got. */
  settings: string[];
  /** True where an interrupted copy had stored everything. */
  wasComplete: boolean;
}

/**
 * Copies all rows of a database to an empty one of PostgreSQL, inside its transaction, and compares them. Throws `conflict`
 * for one that holds other rows.
 */
export async function fillPostgres(
  native: DatabaseSync,
  client: pg.ClientBase,
  { config, now, refusal, onProgress, signal }: FillOptions,
): Promise<FilledPostgres> {
  const tables = copiedTables(native);
  const target = new PostgresRows(client);
  const rows = { tables, source: new SqliteRows(native), target, onProgress, signal };
  if ((await countRows(target, tables)) > 0) {
    refuseMoved(await readStateOf(client, MOVED_TO));
    const found = await compareRows(rows);
    if (!found) throw new AppError('conflict', refusal);
    return { tables: found, changed: target.changed, settings: [], wasComplete: true };
  }
  const settings = config.importable();
  const copied = await copyRows(rows);
  await completePostgres(client, { lastTaskSeq: lastTaskSeq(native), settings, now });
  await indexTexts(client, copied, { onProgress, signal });
  return {
    tables: copied,
    changed: target.changed,
    settings: settings.map(({ key }) => key),
    wasComplete: false,
  };
}

/** Indexes the texts of the tasks, so that the first search does not wait for all of them. */
async function indexTexts(
  client: pg.ClientBase,
  tables: readonly TableContent[],
  { onProgress, signal }: Pick<FillOptions, 'onProgress' | 'signal'>,
): Promise<void> {
  const total = tables.find(({ name }) => name === 'tasks')?.rows ?? 0;
  await indexAll(kyselyOn(client), (done) => {
    signal?.throwIfAborted();
    onProgress?.({ text: 'indexing the texts of tasks', done, total });
  });
}

/**
 * Does the work that fills the database while no daemon can join the cluster, as `whileClusterRests`, and has PostgreSQL look
 * at what has come: until its own rounds have come by, it would plan lists for the few rows of an empty database, and look
 * at each row that it counts in an index.
 */
export async function fillClusterAtRest<T>(client: pg.ClientBase, fill: () => Promise<T>): Promise<T> {
  const filled = await whileClusterRests(client, fill);
  await client.query('set statement_timeout = 0');
  await client.query('vacuum analyze');
  return filled;
}
