import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { locate, type Locations } from '../../../src/contract/locations.ts';
import { Config } from '../../../src/core/config/config.ts';
import type { MoveOptions } from '../../../src/core/moving/copy-report.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { copiedTables, type CopiedTable } from '../../../src/core/storage/copy/copied-tables.ts';
import type { Row } from '../../../src/core/storage/copy/row-store.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';
import { placeDatabase } from '../../helpers/place-database.ts';
import { newPostgresDatabase } from '../../helpers/postgres-server.ts';

export const seed = '5e'.repeat(32);
const check = new KeyRing(Buffer.from(seed, 'hex')).check();

/** Texts that are hard on quoting, encoding and sorting. */
const hostile = [
  `'; drop table tasks; -- "\\ {a,b} NULL`,
  '{"a":"\\u00e9","b":[null,"x\\ny"]}',
  'Zürich 東京 \u{1F980} \u202e \ufffd \ufeff',
  '\t\r\n\u0001',
  '',
  'NULL',
  '\\x00',
  'é e\u0301 \u{10ffff} z Z',
];

/** A home with the seed of the tests and an empty database of this version. */
export async function makeHome(settings: object = {}): Promise<Locations & Disposable> {
  const home = memoryFolder();
  const locations = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
  mkdirSync(home, { recursive: true });
  writeFileSync(locations.identityFile, `${seed}\n`, { mode: 0o600 });
  writeFileSync(locations.settingsFile, JSON.stringify(settings));
  await placeDatabase(locations.databaseFile);
  return { ...locations, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

/** Rows in every table, with a hostile text in every column of a text that nothing else is known of. */
export function fill(file: string, rows = 40): void {
  const native = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  native.exec('begin');
  for (const table of copiedTables(native)) {
    const marks = table.columns.map(() => '?').join();
    const insert = native.prepare(`insert into "${table.name}" values (${marks})`);
    for (let row = 0; row < rows; row++)
      insert.run(...table.columns.map((column, at) => valueOf(table, column, row, at)));
  }
  native.exec('delete from audit_log; delete from audit_archives; delete from state');
  native
    .prepare('insert into state values (?, ?), (?, ?)')
    .run('identity_check', check, 'task_text_seq', '7');
  native.exec('commit');
  native.close();
}

/** The tables that columns of these names refer to. */
const references: Record<string, string> = {
  owner_id: 'users',
  user_id: 'users',
  conversation_id: 'conversations',
  session_id: 'sessions',
};

function valueOf(
  table: CopiedTable,
  { name, type }: CopiedTable['columns'][number],
  row: number,
  at: number,
) {
  if (type === 'integer') return row === 3 ? Number.MAX_SAFE_INTEGER - row : row + 1;
  if (type === 'real') return [0.1, -1e300, 5, Number.MIN_VALUE][row % 4] ?? 0;
  const referred = name === 'id' ? table.name : references[name];
  if (referred !== undefined) return `${referred}${row}`;
  const text = hostile[(row + at) % hostile.length] ?? '';
  if (['error', 'result', 'tags'].includes(name)) return JSON.stringify({ text });
  return `${text}${row}`;
}

/** A database of PostgreSQL, and what a copy needs. */
export async function makeServer() {
  const { url, drop } = await newPostgresDatabase('none');
  const server = { url, prepared: true };
  return {
    server,
    options: (locations: Locations, more: Partial<MoveOptions> = {}): MoveOptions => ({
      locations,
      server,
      config: new Config({ env: {}, settingsFile: locations.settingsFile, flags: { mode: 'pro' } }),
      now: new Date('2026-11-27T05:00:00Z'),
      ...more,
    }),
    async query(text: string): Promise<Record<string, unknown>[]> {
      const client = new pg.Client(url);
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end();
      }
    },
    [Symbol.asyncDispose]: drop,
  };
}

/** All rows that are copied, by table, in the order of their keys. */
export function rowsOf(file: string): Record<string, Row[]> {
  const native = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.fromEntries(
      copiedTables(native).map(({ name, key, columns, where = 'true' }) => {
        const names = columns.map((column) => `"${column.name}"`).join();
        const query = `select ${names} from "${name}" where ${where} order by ${key.join()}`;
        return [
          name,
          native
            .prepare(query)
            .all()
            .map((row) => Object.values(row)),
        ];
      }),
    );
  } finally {
    native.close();
  }
}

export function stateOf(file: string, key: string): string | undefined {
  const native = new DatabaseSync(file, { readOnly: true });
  const row = native.prepare('select value from state where key = ?').get(key);
  native.close();
  return row && String(row['value']);
}
