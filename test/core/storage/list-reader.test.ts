import { describe, expect, it } from 'vitest';
import { listedTables } from '../../../src/core/storage/listed-tables.ts';
import { listReader } from '../../../src/core/storage/list-reader.ts';
import { openTestDatabase } from './sqlite/test-database.ts';

describe('the reader of a list', () => {
  it.each(listedTables)('reads beside the event loop only if %s may have many rows', async (table) => {
    await using opened = await openTestDatabase();
    const { database, writer } = opened;
    expect(await listReader(database, table)).toBe(database.read);
    const columns = writer.prepare(`pragma table_info(${table})`).all();
    const needed = columns.filter(
      ({ name, notnull, dflt_value, pk }) =>
        name === 'id' || (notnull === 1 && dflt_value === null && pk === 0),
    );
    const names = ['rowid', ...needed.map(({ name }) => name)];
    const row = writer.prepare(
      `insert into ${table} (${names.join()}) values (?1${', ?1'.repeat(needed.length)})`,
    );
    row.run(50_000);
    expect(await listReader(database, table)).toBe(database.read);
    row.run(50_001);
    expect(await listReader(database, table)).toBe(database.longRead);
  });
});
