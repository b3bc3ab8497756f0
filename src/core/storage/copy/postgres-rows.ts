import type pg from 'pg';
import { AppError } from '../../errors.ts';
import { storableJsonText, storableText } from '../storable-text.ts';
import type { ColumnType, CopiedColumn, CopiedTable } from './copied-tables.ts';
import {
  bytesOf,
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

/** Rows of the first fetch of a table, whose size is not known. */
const FIRST_FETCH = 50;

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

  async *batches(table: CopiedTable): AsyncGenerator<Row[]> {
    await this.#client.query(`declare copied no scroll cursor for ${selectAll(table)}`);
    let size = FIRST_FETCH;
    for (;;) {
      const { rows } = await this.#client.query<unknown[]>({
        text: `fetch ${size} from copied`,
        rowMode: 'array',
      });
      if (rows.length > 0) yield rows;
      if (rows.length < size) break;
      const average = rows.reduce((sum, row) => sum + bytesOf(row), 0) / rows.length;
      size = Math.max(1, Math.min(MAX_ROWS, Math.floor(FULL_BYTES / average)));
    }
    await this.#client.query('close copied');
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
