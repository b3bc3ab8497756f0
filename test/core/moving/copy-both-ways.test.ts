import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { copyToPostgres } from '../../../src/core/moving/copy-to-postgres.ts';
import { copyToSqlite } from '../../../src/core/moving/copy-to-sqlite.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { fill, makeHome, makeServer, rowsOf, stateOf } from './moving-samples.ts';

describe.skipIf(!hasPostgres)('a copy of the database (needs PostgreSQL)', () => {
  it('has every row of every table there and back, whatever the texts are', async () => {
    using home = await makeHome({ queue: { retry: { attempts: 7 } } });
    await using postgres = await makeServer();
    fill(home.databaseFile, 1010);
    const before = rowsOf(home.databaseFile);
    const tables = Object.keys(before);
    expect(tables.length).toBeGreaterThan(45);
    const steps: string[] = [];
    const there = await copyToPostgres(
      postgres.options(home, {
        onProgress: ({ text, done, total }) => steps.push(`${text} ${done}/${total}`),
      }),
    );
    expect(there).toMatchObject({ changed: 0, wasComplete: false, audit: { valid: true } });
    expect(there.settings).toEqual(['queue.retry.attempts']);
    for (const { name, rows } of there.tables) expect(rows, name).toBe(before[name]?.length);
    const total = there.tables.reduce((sum, { rows }) => sum + rows, 0);
    expect(steps).toContain(`copying rows ${total}/${total}`);
    expect(steps).toContain(`comparing rows ${total}/${total}`);
    expect(steps.at(-1)).toBe('indexing the texts of tasks 1010/1010');
    // The first search finds all of them, and waits for none.
    expect(await postgres.query('select count(words)::int as n from task_words')).toEqual([{ n: 1010 }]);
    const highest = Number.MAX_SAFE_INTEGER - 3;
    expect(await postgres.query("select nextval('task_seq') as seq")).toEqual([{ seq: String(highest + 1) }]);
    expect(await postgres.query('select key, value from settings')).toEqual([
      { key: 'queue.retry.attempts', value: '7' },
    ]);

    using other = await makeHome({
      queue: { retry: { attempts: 2 } },
      agents: { http: { url: 'https://a.example' } },
    });
    const back = await copyToSqlite(postgres.options(other));
    expect(back.tables).toEqual(there.tables);
    expect(rowsOf(other.databaseFile)).toEqual(before);
    expect(JSON.parse(readFileSync(other.settingsFile, 'utf8'))).toEqual({
      queue: { retry: { attempts: 7 } },
    });
    expect(existsSync(`${other.databaseFile}.copy`)).toBe(false);
    const native = new DatabaseSync(other.databaseFile, { readOnly: true });
    const found = native
      .prepare('select count(*) as n from task_text where task_text match ?')
      .get('"zürich"');
    const expected = native
      .prepare(
        "select count(*) as n from tasks where title || ' ' || coalesce(description, '') || ' ' || coalesce(prompt, '') like '%Zürich%'",
      )
      .get();
    expect(Number(found?.['n'])).toBe(Number(expected?.['n']));
    expect(Number(found?.['n'])).toBeGreaterThan(0);
    native.close();
    expect(stateOf(other.databaseFile, 'moved_to')).toBeUndefined();
  });

  it('keeps what PostgreSQL cannot store as U+FFFD, says how often, and compares what is there', async () => {
    using home = await makeHome();
    await using postgres = await makeServer();
    fill(home.databaseFile, 5);
    const native = new DatabaseSync(home.databaseFile);
    native
      .prepare('update tasks set title = ?, result = ? where seq = 1')
      .run('a\0b', String.raw`{"a":"\u0000\\u0000"}`);
    native.prepare('update task_labels set label = ? where task_seq = 1').run('\0label');
    native.close();
    expect(await copyToPostgres(postgres.options(home))).toMatchObject({ changed: 3 });
    expect(await postgres.query('select title, result::jsonb as result from tasks where seq = 1')).toEqual([
      { title: 'a\ufffdb', result: { a: '\ufffd\\u0000' } },
    ]);
  });
});
