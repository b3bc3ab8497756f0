import type { RowSink, Values } from '../write-buffer.ts';
import type { Schema } from '../schema.ts';
import type { ColumnTypes } from './column-types.ts';

type Table = keyof Schema;
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
  key: Values;
  amounts: Record<string, number>;
}

/**
 * Collects the rows that a group keeps for its end: one statement per table and set of columns, whose text is the same
 * for any number of rows, because each column travels as an array.
 */
export class RowBatches implements RowSink {
  readonly #types: ColumnTypes;
  readonly #batches = new Map<string, Batch>();
  readonly #additions = new Map<string, { table: Table; additions: Addition[] }>();

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
    const kind = [table, ...Object.keys(key), ...Object.keys(amounts)].join();
    const addition = { name: Object.values(key).join('\0'), key, amounts };
    const same = this.#additions.get(kind);
    if (same) same.additions.push(addition);
    else this.#additions.set(kind, { table, additions: [addition] });
  }

  /**
   * The rows in the order in which their tables came, as foreign keys need it, then the sums in one order for everybody:
   * two writers that added to the same rows in different orders would wait for each other.
   */
  statements(): Statement[] {
    return [
      ...[...this.#batches.values()].map((batch) => this.#insertion(batch)),
      ...[...this.#additions]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { table, additions }]) => this.#addition(table, additions)),
    ];
  }

  #addition(table: Table, additions: Addition[]): Statement {
    additions.sort((a, b) => (a.name < b.name ? -1 : 1));
    const keys = Object.keys(additions[0]?.key ?? {});
    const amounts = Object.keys(additions[0]?.amounts ?? {});
    const sums = amounts.map((name) => `"${name}" = "${table}"."${name}" + excluded."${name}"`);
    const rows = additions.map(({ key, amounts: of }) => ({ ...key, ...of }));
    const { text, values } = this.#insertion({ table, columns: [...keys, ...amounts], rows });
    return {
      text: `${text} on conflict (${keys.map(quoted).join()}) do update set ${sums.join()}`,
      values,
    };
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
