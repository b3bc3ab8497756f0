import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { silentLog } from '../../../src/core/log.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { DeadLetterService } from '../../../src/core/tasks/dead-letter-service.ts';
import { DeadLetterStore } from '../../../src/core/tasks/dead-letter-store.ts';
import { TaskDeletion } from '../../../src/core/tasks/task-deletion.ts';
import { TaskRemoval } from '../../../src/core/tasks/task-removal.ts';
import type { NewTask } from '../../../src/core/tasks/task-columns.ts';
import { canRace, openRace, overlap } from '../../helpers/race.ts';
import { insertTasks, newTask, type TestStorage } from '../../helpers/storage.ts';
import { openTaskService } from '../../helpers/task-service.ts';

const owner: Caller = { userId: 'user_owner', role: 'user' };

const claim = ({ database, store }: TestStorage) =>
  database.write(
    async (transaction) => {
      const head = await store.findHead('task_1');
      if (head?.status === 'queued')
        await store.move(transaction, head, 'claim', new Date(), { fence: 1, attempts: 1 }, []);
    },
    { independent: true },
  );

function deletionOf(storage: TestStorage) {
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
  const { admission, placement } = await openTaskService(storage);
  return new DeadLetterService({
    ...storage,
    admission,
    placement,
    deadLetters: new DeadLetterStore(storage.database),
    runtime,
  });
}

async function openTaskRace(change: Partial<NewTask>) {
  const race = await openRace();
  await insertTasks(race.one, [newTask('task_1', change)]);
  return race;
}

const failed = { status: 'failed', completed_at: '2026-01-01T00:00:00.000Z' } as const;
const retry = async (storage: TestStorage) => (await deadLettersOf(storage)).retry(owner, 'dlq_1');
const remove = async (storage: TestStorage) => deletionOf(storage).delete(owner, 'task_1');

async function openDeadLetterRace() {
  const race = await openTaskRace(failed);
  const { database, store } = race.one;
  const task = await store.findHead('task_1');
  if (!task) throw new Error('There is no task');
  const error = { class: 'timeout', code: 'x', message: 'It hung' } as const;
  await database.write(async (transaction) =>
    new DeadLetterStore(database).insert(transaction, { id: 'dlq_1', task, error, at: failed.completed_at }),
  );
  return race;
}

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('cancel a task that the other one claims at this moment', async () => {
    await using race = await openTaskRace({ status: 'queued' });
    const cancel = async (storage: TestStorage) =>
      (await openTaskService(storage)).tasks.cancel(owner, 'task_1');
    const [, cancelled] = await overlap(race, claim, cancel);
    expect(cancelled).toMatchObject({ value: { status: 'cancelled' } });
  });

  it('do not delete a task that the other one retries', async () => {
    await using race = await openDeadLetterRace();
    const outcomes = await overlap(race, retry, remove);
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'conflict' } }]);
    expect(await race.one.store.findHead('task_1')).toMatchObject({ status: 'queued' });
  });

  it('do not retry a task that the other one deletes', async () => {
    await using race = await openDeadLetterRace();
    const [, retried] = await overlap(race, remove, retry);
    expect(retried.status).toBe('rejected');
    expect(await race.one.store.findHead('task_1')).toBeUndefined();
  });
});
