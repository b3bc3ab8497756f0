import { hash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { CopiedTable } from './copied-tables.ts';
import type { Row, RowStore } from './row-store.ts';

export interface CopyProgress {
  text: string;
  done: number;
  total: number;
}

export interface CopyOptions {
  tables: readonly CopiedTable[];
  source: RowStore;
  target: RowStore;
  onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Rejects with its reason. */
  signal?: AbortSignal | undefined;
}

/** What a table holds. */
export interface TableContent {
  name: string;
  rows: number;
  /** The sum of the SHA-256 of its rows with all their values, in hex: it does not depend on their order. */
  checksum: string;
}

/**
 * Copies all rows inside the transaction of the target, reads them back, and rejects where any of them differs from what
 * the source holds.
 */
export async function copyRows(options: CopyOptions): Promise<TableContent[]> {
  const { tables, source, target } = options;
  const total = await countRows(source, tables);
  const copied = await readTables(options, total, 'copying rows', source, (table, rows) =>
    target.insert(table, rows),
  );
  const kept = await readTables(options, total, 'comparing rows', target);
  const different = copied.find(({ checksum }, at) => kept[at]?.checksum !== checksum);
  if (different)
    throw new AppError('unavailable', `The copy of the table ${different.name} differs from it. Try again.`);
  return kept;
}

/** The tables as they are in the target, or undefined where it does not hold the same rows as the source. */
export async function compareRows(options: CopyOptions): Promise<TableContent[] | undefined> {
  const { tables, source, target } = options;
  for (const table of tables)
    if ((await source.count(table)) !== (await target.count(table))) return undefined;
  const total = await countRows(source, tables);
  const expected = await readTables(options, 2 * total, 'comparing rows', source);
  const found = await readTables(options, total, 'comparing rows', target);
  return expected.every(({ checksum }, at) => found[at]?.checksum === checksum) ? found : undefined;
}

/** All rows that would be copied. */
export async function countRows(store: RowStore, tables: readonly CopiedTable[]): Promise<number> {
  let rows = 0;
  for (const table of tables) rows += await store.count(table);
  return rows;
}

async function readTables(
  { tables, target, onProgress, signal }: CopyOptions,
  total: number,
  text: string,
  from: RowStore,
  use?: (table: CopiedTable, rows: readonly Row[]) => Promise<void>,
): Promise<TableContent[]> {
  const contents: TableContent[] = [];
  let done = 0;
  for (const table of tables) {
    let sum = 0n;
    let rows = 0;
    for await (const batch of from.batches(table)) {
      signal?.throwIfAborted();
      const fitted = target.fit(table, batch);
      await use?.(table, fitted);
      for (const row of fitted) sum += BigInt(`0x${hash('sha256', JSON.stringify(row))}`);
      rows += batch.length;
      onProgress?.({ text, done: (done += batch.length), total });
    }
    contents.push({
      name: table.name,
      rows,
      checksum: BigInt.asUintN(256, sum).toString(16).padStart(64, '0'),
    });
  }
  signal?.throwIfAborted();
  return contents;
}
