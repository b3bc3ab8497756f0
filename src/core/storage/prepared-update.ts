import type { Compilable, CompiledQuery, Kysely, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { type Parameter, prepareQuery } from './prepared-query.ts';
import type { Schema } from './schema.ts';

type Table = 'tasks';
export type UpdateOfTable = UpdateQueryBuilder<Schema, Table, Table, UpdateResult>;

/**
 * A guarded update of one row that is found by its id, with values bound per call. What goes over a network may send
 * those of several works as one statement.
 */
export interface PreparedUpdate<P extends { id: string }, R extends { id: string }> {
  table: Table;
  /** The column whose type each value has. */
  columns: { [K in keyof P]: keyof Schema[Table] };
  /** The update with these values; it refers to columns of its table only, and returns the id. */
  build: (update: UpdateOfTable, value: Parameter<P>) => Compilable<R>;
  /** The update of one row. */
  one: (values: P) => CompiledQuery<R>;
}

/** Compiles an update once; `columns` names the column whose type each value has. */
export function prepareUpdate<P extends { id: string }, R extends { id: string }>(
  db: Kysely<Schema>,
  columns: PreparedUpdate<P, R>['columns'],
  build: PreparedUpdate<P, R>['build'],
): PreparedUpdate<P, R> {
  const table = 'tasks';
  return { table, columns, build, one: prepareQuery<P, R>((value) => build(db.updateTable(table), value)) };
}
