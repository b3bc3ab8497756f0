import { expect, it } from 'vitest';
import { independent } from '../../../../src/core/storage/database.ts';
import { hasPostgres } from '../../../helpers/postgres-server.ts';
import { insertTasks, newTask, openStorage } from '../../../helpers/storage.ts';

const now = new Date('2026-01-01T00:00:00Z');
const ids = Array.from({ length: 30 }, (_, n) => `task_${n}`);
const claimOf = (workerId: string) => ({
  agent: 'a',
  workerId,
  leaseUntil: now.toISOString(),
  daemon: null,
  host: null,
});

it.skipIf(!hasPostgres)(
  'claims of one turn of the event loop share a statement, and each task has one winner (needs PostgreSQL)',
  async () => {
    await using storage = await openStorage(true);
    const { database, store } = storage;
    const tasks = ids.map((id, n) => newTask(id, { status: n % 3 === 0 ? 'completed' : 'queued' }));
    await insertTasks(storage, tasks);
    const claims = await Promise.all(
      ['x', 'y'].flatMap((workerId) =>
        ids.map((id) =>
          database.write((transaction) => store.claim(transaction, id, claimOf(workerId), now), independent),
        ),
      ),
    );
    const wins = claims.filter((task) => task !== undefined);
    expect(wins.map(({ id }) => id).toSorted()).toEqual(ids.filter((_, n) => n % 3 !== 0).toSorted());
    for (const win of wins) {
      expect(await store.find(win.id)).toEqual({ ...win, status: 'in_progress', attempts: 1, fence: 1 });
      expect(Object.keys(win).filter((column) => column.startsWith('new_'))).toEqual([]);
    }
    const ended = await Promise.all(
      wins.map((task, n) =>
        database.write(
          (transaction) =>
            // Every fifth one was taken away meanwhile.
            store.move(
              transaction,
              { ...task, fence: n % 5 === 0 ? 7 : task.fence },
              'complete',
              now,
              { result: JSON.stringify({ n, "it's": 'a "text", {with} \\ all' }), error: null },
              [{ type: 'completed', message: 'Completed' }],
            ),
          independent,
        ),
      ),
    );
    for (const [n, task] of ended.entries()) {
      const stored = await store.find(wins[n]?.id ?? '');
      if (n % 5 === 0) {
        expect(task).toBeUndefined();
        expect(stored).toMatchObject({ status: 'in_progress', result: null });
      } else {
        expect(stored).toMatchObject({ status: 'completed', event_seq: task?.event_seq });
        expect(JSON.parse(stored?.result ?? '')).toMatchObject({ n });
      }
    }
  },
);
