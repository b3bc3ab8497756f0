import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { prepareQuery } from '../prepared-query.ts';
import type { PreparedUpdate, UpdateOfTable } from '../prepared-update.ts';
import type { Schema } from '../schema.ts';
import type { ColumnTypes } from './column-types.ts';

type Update = PreparedUpdate<{ id: string }, { id: string }>;
interface Entry {
  values: { id: string };
  resolve: (row: { id: string } | undefined) => void;
  reject: (error: unknown) => void;
}
type Batch = Map<string, Entry>;
/** The values of all rows by their name. */
type Arrays = Record<string, unknown[]>;
type Query = (values: Arrays) => CompiledQuery<{ id: string }>;

/**
 * Sends updates of the same kind that works of a group made in the same turn of the event loop as one statement: each
 * statement costs the server and this process several times what another row of it does.
 */
export class UpdateBatches {
  readonly #db: Kysely<Schema>;
  readonly #types: ColumnTypes;
  readonly #queries = new Map<Update, Query>();
  #waiting = new Map<Update, Batch[]>();

  /** `db` runs what is sent. */
  constructor(db: Kysely<Schema>, types: ColumnTypes) {
    this.#db = db;
    this.#types = types;
  }

  /** Resolves to the row that was changed, with what the update returns; to undefined where its guard did not hold. */
  add<P extends { id: string }, R extends { id: string }>(
    update: PreparedUpdate<P, R>,
    values: P,
  ): Promise<R | undefined> {
    const key = update as unknown as Update;
    const batches = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, batches);
    // A statement changes a row once: the second change of it belongs to the next one.
    let batch = batches.find((each) => !each.has(values.id));
    if (!batch) batches.push((batch = new Map()));
    const { promise, resolve, reject } = Promise.withResolvers<R | undefined>();
    batch.set(values.id, { values, resolve: resolve as Entry['resolve'], reject });
    return promise;
  }

  /** Sends what was added, in the order in which it came. */
  send(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [update, batches] of waiting)
      for (const batch of batches)
        this.#run(update, [...batch.values()]).then(
          (rows) => {
            const byId = new Map(rows.map((row) => [row.id, row]));
            for (const [id, { resolve }] of batch) resolve(byId.get(id));
          },
          (error: unknown) => {
            for (const { reject } of batch.values()) reject(error);
          },
        );
  }

  async #run(update: Update, entries: Entry[]): Promise<{ id: string }[]> {
    const [only] = entries;
    const query = only && entries.length === 1 ? update.one(only.values) : this.#many(update, entries);
    return (await this.#db.executeQuery(query)).rows;
  }

  #many(update: Update, entries: Entry[]): CompiledQuery<{ id: string }> {
    let query = this.#queries.get(update);
    if (!query) this.#queries.set(update, (query = this.#prepare(update)));
    const names = Object.keys(update.columns) as 'id'[];
    return query(Object.fromEntries(names.map((name) => [name, entries.map(({ values }) => values[name])])));
  }

  #prepare({ table, columns, build }: Update): Query {
    const types = this.#types.get(table);
    // The columns of the values have names that no column of the table has.
    const names = Object.keys(columns).map((name) => sql.ref(`new_${name}`));
    return prepareQuery<Arrays, { id: string }>((value) => {
      const arrays = Object.entries(columns).map(
        ([name, column]) => sql`${value(name)}::${sql.raw(types?.get(column) ?? 'text')}[]`,
      );
      const rows = sql`unnest(${sql.join(arrays)})`.as<'changes'>(sql`changes(${sql.join(names)})`);
      const from = this.#db.updateTable(table).from(rows) as unknown as UpdateOfTable;
      return build(from, (name) => sql.ref(`changes.new_${name}`) as never);
    });
  }
}
