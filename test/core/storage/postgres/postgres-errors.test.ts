import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../helpers/postgres-server.ts';
import { insertTasks, newTask, openStorage } from '../../../helpers/storage.ts';

/** A path that no compression makes shorter. */
const path = (bytes: number) => `/${randomBytes(bytes).toString('base64url')}`.slice(0, bytes);

describe.skipIf(!hasPostgres)('a text that the database cannot find rows by (needs PostgreSQL)', () => {
  it('is refused as too long, and what is stored at the same time is not', async () => {
    await using storage = await openStorage(true);
    const insert = (id: string, cwd: string) => insertTasks(storage, [newTask(id, { cwd })]);
    const [one, long, other] = await Promise.allSettled([
      insert('task_1', path(2500)),
      insert('task_2', path(4096)),
      insert('task_3', '/tmp'),
    ]);
    expect(long).toMatchObject({
      status: 'rejected',
      reason: { code: 'validation', message: expect.stringContaining('at most 2,500 bytes') },
    });
    expect([one, other].map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const stored = await storage.database.read.selectFrom('tasks').select('id').orderBy('id').execute();
    expect(stored.map(({ id }) => id)).toEqual(['task_1', 'task_3']);
  });
});
