import type { DatabaseSync } from 'node:sqlite';

/** The types of SQLite that columns have; the first two hold numbers. */
export type ColumnType = 'integer' | 'real' | 'text';

export interface CopiedColumn {
  name: string;
  type: ColumnType;
}

/** A table that both engines have. */
export interface CopiedTable {
  name: string;
  columns: readonly CopiedColumn[];
  /** The columns of its primary key, in order. */
  key: readonly string[];
  /** The condition of the rows that are copied, for tables with others. */
  where?: string;
}

/**
 * What stays behind: the migrations of an engine, its text index, the settings of a cluster, which a single daemon keeps
 * in its settings file, and what its daemons have indexed, which they do again.
 */
const ownOfEngine =
  /^(sqlite_|task_text|schema_migrations$|settings$|memory_(streams|files|vectors)$|experience_changes$)/;

/** The state of one place: its text index, the name of its cluster, and where its data went. */
const ownState = ['task_text_seq', 'cluster_id', 'moved_to'];

/** The tables of a database of this version, each after those that it refers to. */
export function copiedTables(native: DatabaseSync): CopiedTable[] {
  const all = (query: string, ...values: string[]) => native.prepare(query).all(...values);
  const names = all("select name from sqlite_schema where type = 'table' order by name")
    .map(({ name }) => String(name))
    .filter((name) => !ownOfEngine.test(name));
  const ordered = new Set<string>();
  const place = (name: string) => {
    if (ordered.has(name)) return;
    for (const { table } of all('select "table" from pragma_foreign_key_list(?)', name)) place(String(table));
    ordered.add(name);
  };
  for (const name of names) place(name);
  return [...ordered].map((name) => {
    const columns = all('select name, type, pk from pragma_table_info(?)', name);
    return {
      name,
      columns: columns.map((column) => ({ name: String(column['name']), type: typeOf(column['type']) })),
      key: columns
        .filter(({ pk }) => Number(pk) > 0)
        .sort((a, b) => Number(a['pk']) - Number(b['pk']))
        .map((column) => String(column['name'])),
      ...(name === 'state' && { where: `key not in (${ownState.map((key) => `'${key}'`).join()})` }),
    };
  });
}

function typeOf(declared: unknown): ColumnType {
  const type = String(declared).toLowerCase();
  if (type === 'integer' || type === 'real' || type === 'text') return type;
  throw new Error(`Columns of type ${type} cannot be copied`);
}
