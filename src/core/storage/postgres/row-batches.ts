import type { RowSink, Values } from '../write-buffer.ts';
import type { Schema } from '../schema.ts';

type Table = keyof Schema;
/** The types of the columns of all tables, as PostgreSQL writes them in an array type. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;
export interface Statement {
  text: string;
  values: unknown[];
}

interface Batch {
  table: Table;
  columns: string[];
  rows: Values[];
}
interface Addition {
  name: string;
  statement: Statement;
}

/**
 * Collects the rows that a group keeps for its end: one statement per table and set of columns, whose text is the same
 * for any number of rows, because each column travels as an array.
 */
export class RowBatches implements RowSink {
  readonly #types: ColumnTypes;
  readonly #batches = new Map<string, Batch>();
  readonly #additions: Addition[] = [];

  constructor(types: ColumnTypes) {
    this.#types = types;
  }

  insert(table: Table, row: Values): void {
    const columns = Object.keys(row);
    const name = `${table} ${columns.join()}`;
    const batch = this.#batches.get(name);
    if (batch) batch.rows.push(row);
    else this.#batches.set(name, { table, columns, rows: [row] });
  }

  add(table: Table, key: Values, amounts: Record<string, number>): void {
    const keys = Object.keys(key);
    const names = Object.keys(amounts);
    const columns = [...keys, ...names];
    const sums = names.map((name) => `"${name}" = "${table}"."${name}" + excluded."${name}"`);
    this.#additions.push({
      name: `${table}\0${Object.values(key).join('\0')}`,
      statement: {
        text: `insert into "${table}" (${columns.map(quoted).join()}) values (${columns
          .map((_, index) => `$${index + 1}`)
          .join()}) on conflict (${keys.map(quoted).join()}) do update set ${sums.join()}`,
        values: [...Object.values(key), ...Object.values(amounts)],
      },
    });
  }

  /**
   * The rows in the order in which their tables came, as foreign keys need it, then the sums in one order for everybody:
   * two writers that added to the same rows in different orders would wait for each other.
   */
  statements(): Statement[] {
    return [
      ...[...this.#batches.values()].map((batch) => this.#insertion(batch)),
      ...this.#additions.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ statement }) => statement),
    ];
  }

  #insertion({ table, columns, rows }: Batch): Statement {
    const types = this.#types.get(table);
    const arrays = columns.map((column, index) => `$${index + 1}::${types?.get(column) ?? 'text'}[]`);
    return {
      text: `insert into "${table}" (${columns.map(quoted).join()}) select * from unnest(${arrays.join()})`,
      values: columns.map((column) => rows.map((row) => row[column] ?? null)),
    };
  }
}

const quoted = (column: string) => `"${column}"`;
