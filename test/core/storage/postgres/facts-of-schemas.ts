import type { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';

/**
 * What a schema promises, one fact per string, in the words of PostgreSQL: `tasks.title text not null`,
 * `tasks primary key (seq)`, `index tasks_by_end on tasks (completed_at, seq) where completed_at is not null`.
 */
export type Facts = Set<string>;

const types: Readonly<Record<string, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
};

export function factsOfSqlite(native: DatabaseSync): Facts {
  const facts: Facts = new Set();
  const all = (query: string, ...values: string[]) =>
    native.prepare(query).all(...values) as Record<string, string | number | null>[];
  for (const { name: table } of all(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
  )) {
    const of = String(table);
    facts.add(`table ${of}`);
    const columns = all('select * from pragma_table_info(?)', of);
    for (const { name, type, notnull, dflt_value: value, pk } of columns)
      facts.add(column(of, name, types[String(type).toLowerCase()], Boolean(notnull || pk), value));
    const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk']));
    if (key.length > 0) facts.add(`${of} primary key (${key.map(({ name }) => name).join(', ')})`);
    for (const { name, origin } of all('select * from pragma_index_list(?)', of)) {
      const names = all('select name from pragma_index_info(?)', String(name)).map((row) => row['name']);
      if (origin === 'u') facts.add(`${of} unique (${names.join(', ')})`);
    }
    for (const row of all('select * from pragma_foreign_key_list(?)', of))
      facts.add(
        `${of} foreign key (${row['from']}) references ${row['table']}(${row['to']}) on delete ${row['on_delete']}`.toLowerCase(),
      );
  }
  for (const { sql } of all("select sql from sqlite_master where type = 'index' and sql is not null"))
    facts.add(plain(String(sql)).replace(/^create /, ''));
  return facts;
}

export async function factsOfPostgres(client: pg.Client): Promise<Facts> {
  const facts: Facts = new Set();
  const all = async (query: string) => (await client.query<Record<string, string>>(query)).rows;
  for (const { name } of await all('select relname as name from pg_class where relkind = $$r$$ and ' + ours))
    facts.add(`table ${name}`);
  const columns = await client.query<
    Record<'table' | 'name' | 'type' | 'value' | 'collation', string> & { required: boolean }
  >(
    `select relname as table, attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required,
      pg_get_expr(adbin, adrelid) as value, collname as collation
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      left join pg_collation on pg_collation.oid = attcollation
    where relkind = 'r' and ${ours}`,
  );
  for (const { table, name, type, required, value, collation } of columns.rows) {
    const sorted = type === 'text' && collation !== 'C' ? `text collate ${collation}` : type;
    facts.add(column(table, name, sorted, required, value));
  }
  for (const { table, definition } of await all(
    `select conrelid::regclass as table, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid where ${ours}`,
  ))
    facts.add(`${table} ${definition?.toLowerCase()}`);
  for (const { definition } of await all(
    `select pg_get_indexdef(indexrelid, 0, true) as definition from pg_index join pg_class on pg_class.oid = indrelid
    where ${ours} and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
  ))
    facts.add(plain(definition ?? '').replace(/^create /, ''));
  return facts;
}

const ours = 'relnamespace = current_schema()::regnamespace';

const column = (
  table: string,
  name: unknown,
  type: string | undefined,
  isRequired: boolean,
  value: string | number | null | undefined,
): string =>
  `${table}.${String(name)} ${type}${isRequired ? ' not null' : ''}${
    value === null ? '' : ` default ${plain(String(value))}`
  }`;

/** An expression without what each engine writes in its own way: quotes, casts, case, spaces, and parentheses around conditions. */
function plain(text: string): string {
  const [head = '', ...condition] = text
    .replaceAll('"', '')
    .replace(/::(text|bigint)/g, '')
    .replace(/ using btree/i, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .split(' where ');
  return [head, ...condition.map((part) => part.replace(/[()]/g, ''))].join(' where ');
}
