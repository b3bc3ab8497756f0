import type pg from 'pg';
import { AppError } from '../../errors.ts';
import { storableJsonText, storableText } from '../storable-text.ts';
import type { ColumnType, CopiedColumn, CopiedTable } from './copied-tables.ts';
import {
  FULL_BYTES,
  insertInto,
  MAX_ROWS,
  type Row,
  type RowStore,
  selectAll,
  selectCount,
} from './row-store.ts';

/** The types of arrays in PostgreSQL by those of SQLite. */
const arrays: Record<ColumnType, string> = {
  integer: 'bigint[]',
  real: 'double precision[]',
  text: 'text[]',
};

/** The JSON that queries of PostgreSQL look into: what hides behind its escapes would stop them. */
const readAsJson = new Set(['tasks.error', 'tasks.result', 'experiences.tags']);

/** The rows of a PostgreSQL database, inside a transaction that the caller has begun. */
export class PostgresRows implements RowStore {
  readonly #client: pg.ClientBase;
  /** How many values were changed to fit. */
  changed = 0;
  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  async count(table: CopiedTable): Promise<number> {
    const { rows } = await this.#client.query<{ n: number }>(selectCount(table));
    return rows[0]?.n ?? 0;
  }

  /** How long the rows are is read ahead of them: a thousand of the longest would not fit into memory. */
  async *batches(table: CopiedTable): AsyncGenerator<Row[]> {
    await this.#client.query(`declare measured no scroll cursor for ${selectBytes(table)}`);
    await this.#client.query(`declare copied no scroll cursor for ${selectAll(table)}`);
    for (;;) {
      const { rows: ahead } = await this.#client.query<{ bytes: number }>(`fetch ${MAX_ROWS} from measured`);
      for (const size of batchSizes(ahead)) {
        const text = `fetch ${size} from copied`;
        yield (await this.#client.query<unknown[]>({ text, rowMode: 'array' })).rows;
      }
      if (ahead.length < MAX_ROWS) break;
    }
    await this.#client.query('close measured; close copied');
  }

  /** The text of the statement is the same for any number of rows, because each column travels as an array. */
  async insert(table: CopiedTable, rows: readonly Row[]): Promise<void> {
    const columns = table.columns.map(({ type }, at) => `$${at + 1}::${arrays[type]}`).join();
    await this.#client.query(
      `${insertInto(table)} select * from unnest(${columns})`,
      table.columns.map((_, at) => rows.map((row) => row[at])),
    );
  }

  fit(table: CopiedTable, rows: readonly Row[]): readonly Row[] {
    return rows.map((row) => {
      let fitted: unknown[] | undefined;
      for (const [at, column] of table.columns.entries()) {
        const value = fitValue(table, column, row[at]);
        if (value === row[at]) continue;
        (fitted ??= [...row])[at] = value;
        this.changed++;
      }
      return fitted ?? row;
    });
  }
}

/** The bytes of the texts of each row, in the order of `selectAll`. */
const selectBytes = (table: CopiedTable): string => {
  const texts = table.columns.filter(({ type }) => type === 'text');
  const bytes = texts.map(({ name }) => `coalesce(octet_length("${name}"), 0)`);
  return selectAll(table, `${['0', ...bytes].join(' + ')} as bytes`);
};

/** How many rows make the next batches: as many as are full together. */
function batchSizes(rows: readonly { bytes: number }[]): number[] {
  const sizes: number[] = [];
  let sum = Infinity;
  for (const { bytes } of rows) {
    if (sum >= FULL_BYTES) {
      sizes.push(0);
      sum = 0;
    }
    sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + 1;
    sum += bytes;
  }
  return sizes;
}

/** SQLite keeps any value in any column, PostgreSQL those of its type. */
function fitValue(table: CopiedTable, { name, type }: CopiedColumn, value: unknown): unknown {
  if (value === null) return value;
  const isFit =
    type === 'text'
      ? typeof value === 'string'
      : typeof value === 'number' && (type === 'real' || Number.isSafeInteger(value));
  if (!isFit)
    throw new AppError(
      'validation',
      `A row of ${table.name} holds another type than ${type} in the column ${name}, which PostgreSQL cannot store.`,
    );
  if (typeof value !== 'string') return value;
  const text = storableText(value);
  return readAsJson.has(`${table.name}.${name}`) ? storableJsonText(text) : text;
}
