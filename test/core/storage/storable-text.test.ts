import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { storableJson, storableText, storableValues } from '../../../src/core/storage/storable-text.ts';
import { TaskQueryStore } from '../../../src/core/tasks/task-query-store.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';

const HOSTILE = 'rm\0-rf \ud800 and \udc00 but 😀';
const STORED = 'rm\ufffd-rf \ufffd and \ufffd but 😀';
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\\', 'u0000', '\ud83d', '\ude00', '"'), fc.string()),
});

describe('a text to store', () => {
  it('keeps all but NUL and halves of surrogate pairs', () => {
    expect(storableText(HOSTILE)).toBe(STORED);
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = storableText(text);
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
        expect(stored.length).toBe(text.length);
        if (text.isWellFormed() && !text.includes('\0')) expect(stored).toBe(text);
      }),
    );
  });

  it('is the same list of values where none has to change', () => {
    const values = ['a', 1, null, ['b']];
    expect(storableValues(values)).toBe(values);
    expect(storableValues(['a', [HOSTILE, null]])).toEqual(['a', [STORED, null]]);
  });

  it('is the same inside JSON, where such characters are escapes', () => {
    expect(JSON.parse(storableJson({ [HOSTILE]: [HOSTILE] }))).toEqual({ [STORED]: [STORED] });
    expect(JSON.parse(storableJson([String.raw`the escape \u0000 and \ud800`]))).toEqual([
      String.raw`the escape \u0000 and \ud800`,
    ]);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.parse(storableJson([text]))).toEqual([storableText(text)]);
      }),
    );
  });
});

const engines: [string, boolean, () => Promise<TestStorage & AsyncDisposable>][] = [
  ['SQLite', true, () => openStorage(false)],
  ['PostgreSQL (needs PostgreSQL)', hasPostgres, () => openStorage(true)],
];

describe.each(engines)('a hostile text on %s', (_, isThere, open) => {
  it.skipIf(!isThere)('is stored and found alike, and spoils no list', async () => {
    await using storage = await open();
    const { database } = storage;
    const result = storableJson({ output: HOSTILE, note: HOSTILE });
    await insertTasks(storage, [newTask('task_1', { title: HOSTILE, status: 'completed', result })]);
    await database.write(async ({ db }) => {
      await db.updateTable('tasks').set({ description: HOSTILE }).where('title', '=', HOSTILE).execute();
    });
    const found = await database.read
      .selectFrom('tasks')
      .select(['title', 'description'])
      .where('title', 'in', [HOSTILE])
      .execute();
    expect(found).toEqual([{ title: STORED, description: STORED }]);
    const long = await sql`select id from tasks where title = ${HOSTILE}`.execute(database.longRead);
    expect(long.rows).toEqual([{ id: 'task_1' }]);
    expect(await storage.store.find('task\0_1')).toBeUndefined();
    const query = new TaskQueryStore(database);
    const order = { sortBy: 'createdAt', sortOrder: 'desc' } as const;
    const listed = await query.page(await query.plan({}, order), {
      ...order,
      fields: ['id'],
      hasOutcome: true,
      limit: 10,
    });
    expect(JSON.parse(String(listed[0]?.outcome))).toEqual({ note: STORED });
  });
});
