import type { CopiedTable } from './copied-tables.ts';

/** The values of a row in the order of the columns of its table: texts, numbers and nulls. */
export type Row = readonly unknown[];

/** The rows of a database, for a copy. */
export interface RowStore {
  count(table: CopiedTable): Promise<number>;
  /** All rows in the order of the key, in batches of at most 1,000 rows that fit into memory. */
  batches(table: CopiedTable): AsyncIterable<Row[]>;
  insert(table: CopiedTable, rows: readonly Row[]): Promise<void>;
  /** The rows as this database keeps them, which may be the same ones. Throws `validation` for one that it cannot keep. */
  fit(table: CopiedTable, rows: readonly Row[]): readonly Row[];
}

/** Rows in a batch at most, and the bytes of text from which on it is full. */
export const MAX_ROWS = 1000;
export const FULL_BYTES = 8 * 1024 * 1024;

/** Roughly: the length of its texts. */
export function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of row) bytes += typeof value === 'string' ? value.length : 8;
  return bytes;
}

const quoted = (name: string): string => `"${name}"`;

const columnsOf = ({ columns }: CopiedTable): string => columns.map(({ name }) => quoted(name)).join();

/** What both engines understand: all rows of a table in the order of its key, with these columns of each. */
export const selectAll = (table: CopiedTable, columns: string = columnsOf(table)): string =>
  `select ${columns} from ${quoted(table.name)} where ${table.where ?? 'true'} order by ${table.key.map(quoted).join()}`;

/** What both engines understand: how many rows of a table are copied. */
export const selectCount = ({ name, where = 'true' }: CopiedTable): string =>
  `select count(*) as n from ${quoted(name)} where ${where}`;

/** The beginning of an insert of whole rows. */
export const insertInto = (table: CopiedTable): string =>
  `insert into ${quoted(table.name)} (${columnsOf(table)})`;
