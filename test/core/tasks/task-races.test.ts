import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { silentLog } from '../../../src/core/log.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { DeadLetterService } from '../../../src/core/tasks/dead-letter-service.ts';
import { DeadLetterStore } from '../../../src/core/tasks/dead-letter-store.ts';
import { TaskDeletion } from '../../../src/core/tasks/task-deletion.ts';
import { TaskRemoval } from '../../../src/core/tasks/task-removal.ts';
import { canRace, openRace } from '../../helpers/race.ts';
import { insertTasks, newTask, type TestStorage } from '../../helpers/storage.ts';
import { openTaskService } from '../../helpers/task-service.ts';

const owner: Caller = { userId: 'user_owner', role: 'user' };
const ids = Array.from({ length: 20 }, (_, at) => `task_${at}`);
const isFulfilled = ({ status }: PromiseSettledResult<unknown>) => status === 'fulfilled';

const claim = ({ database, store }: TestStorage, id: string) =>
  database.write(
    async (transaction) => {
      const head = await store.findHead(id);
      if (head?.status === 'queued')
        await store.move(transaction, head, 'claim', new Date(), { fence: 1, attempts: 1 }, []);
    },
    { independent: true },
  );

async function deletionOf(storage: TestStorage) {
  return new TaskDeletion({
    ...storage,
    removal: new TaskRemoval(storage),
    audit: new AuditLog(runtime, storage.database.engine),
    workspaces: { remove: async () => undefined },
    worktrees: { tidyOne: async () => undefined },
    outputs: { remove: async () => undefined },
    log: silentLog,
  });
}

async function deadLettersOf(storage: TestStorage) {
  const { admission } = await openTaskService(storage);
  return new DeadLetterService({
    ...storage,
    admission,
    deadLetters: new DeadLetterStore(storage.database),
    runtime,
  });
}

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('cancel a task that the other one claims at this moment', async () => {
    await using race = await openRace();
    await insertTasks(
      race.one,
      ids.map((id) => newTask(id, { status: 'queued' })),
    );
    const { tasks } = await openTaskService(race.one);
    const [cancelled] = await Promise.all([
      Promise.allSettled(ids.map((id) => tasks.cancel(owner, id))),
      Promise.all(ids.map((id) => claim(race.other, id))),
    ]);
    expect(cancelled.every(isFulfilled)).toBe(true);
  });

  it('retry a dead letter or delete its task, never both', async () => {
    await using race = await openRace();
    const failed = { status: 'failed', completed_at: '2026-01-01T00:00:00.000Z' } as const;
    await insertTasks(
      race.one,
      ids.map((id) => newTask(id, failed)),
    );
    const deadLetters = await deadLettersOf(race.one);
    const deletion = await deletionOf(race.other);
    const store = new DeadLetterStore(race.one.database);
    for (const id of ids) {
      const task = await race.one.store.findHead(id);
      if (!task) throw new Error(`There is no ${id}`);
      const error = { class: 'timeout', code: 'x', message: 'It hung' } as const;
      await race.one.database.write(async (transaction) =>
        store.insert(transaction, { id: `dlq_${id}`, task, error, at: failed.completed_at }),
      );
      const outcomes = await Promise.allSettled([
        deadLetters.retry(owner, `dlq_${id}`),
        deletion.delete(owner, id),
      ]);
      expect(outcomes.filter(isFulfilled)).toHaveLength(1);
      const left = await race.one.store.findHead(id);
      expect(left?.status).toBe(outcomes[0]?.status === 'fulfilled' ? 'queued' : undefined);
    }
  });
});
