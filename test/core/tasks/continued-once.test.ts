import { describe, expect, it } from 'vitest';
import type { CreateTask } from '../../../src/contract/task.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { DeadLetterService } from '../../../src/core/tasks/dead-letter-service.ts';
import { DeadLetterStore } from '../../../src/core/tasks/dead-letter-store.ts';
import { requireFreeSession } from '../../../src/core/tasks/free-session.ts';
import type { NewTask } from '../../../src/core/tasks/task-columns.ts';
import { canRace, openRace, overlap } from '../../helpers/race.ts';
import { insertTasks, newTask, openStorage, storageOf, type TestStorage } from '../../helpers/storage.ts';
import { openTaskService } from '../../helpers/task-service.ts';
import { testAdapter } from '../../helpers/tasks.ts';
import { openDatabases } from '../../helpers/two-databases.ts';

const owner: Caller = { userId: 'user_owner', role: 'admin' };
const at = '2026-01-01T00:00:00.000Z';
const first = 'task_first';
const demo = testAdapter(async () => ({ output: '' }), { type: 'demo', driver: 'acp' });
const continuedAlready = {
  code: 'wrong_state',
  message: 'Another task continues task_first already. Wait until it has finished',
};

const ended = (status: 'completed' | 'failed' | 'cancelled'): Partial<NewTask> => ({
  status,
  completed_at: at,
  agent_type: 'demo',
  cwd: process.cwd(),
});

/** A finished task of an agent that keeps sessions, and those that continued it. */
async function seed(
  storage: TestStorage,
  { later = [], status = 'completed' }: { later?: NewTask[]; status?: 'completed' | 'failed' } = {},
) {
  await insertTasks(storage, [newTask(first, ended(status)), ...later]);
  await storage.database.write(({ db }) =>
    db
      .insertInto('task_sessions')
      .values({
        task_id: first,
        agent: 'demo',
        session_id: 'ses-1',
        cwd: process.cwd(),
        cli_version: null,
        updated_at: at,
        host: '',
      })
      .execute(),
  );
}

const tasksOf = async (storage: TestStorage) => (await openTaskService(storage, { adapters: [demo] })).tasks;

const input = (change: Partial<CreateTask> = {}): CreateTask => ({
  title: 'Go on',
  priority: 3,
  source: 'api',
  labels: [],
  continues: first,
  ...change,
});

const goOn = async (storage: TestStorage, change: Partial<CreateTask> = {}) =>
  (await tasksOf(storage)).create(owner, input(change));

async function addDeadLetter({ database, store }: TestStorage, id: string) {
  const task = await store.findHead(id);
  if (!task) throw new Error('There is no task');
  const error = { class: 'timeout', code: 'x', message: 'It hung' } as const;
  await database.write(async (transaction) =>
    new DeadLetterStore(database).insert(transaction, { id: `dlq_${id}`, task, error, at }),
  );
}

/** Takes a failed task back from the dead letters. */
async function revive(storage: TestStorage, id: string) {
  const { admission, placement } = await openTaskService(storage, { adapters: [demo] });
  const deadLetters = new DeadLetterStore(storage.database);
  return new DeadLetterService({ ...storage, admission, placement, deadLetters, runtime }).retry(
    owner,
    `dlq_${id}`,
  );
}

/** The unfinished tasks that continue the first one. */
async function openOnes({ database }: TestStorage): Promise<string[]> {
  const rows = await database.read
    .selectFrom('tasks')
    .select('id')
    .where('continues', '=', first)
    .where('status', 'in', ['pending', 'queued', 'in_progress'])
    .execute();
  return rows.map(({ id }) => id);
}

/** The task of the one that was fulfilled; all others were refused because of it. */
function expectOne(outcomes: PromiseSettledResult<unknown>[]) {
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(outcomes.length - 1);
  for (const each of refused) expect(each).toMatchObject({ reason: continuedAlready });
}

describe('a finished task', () => {
  it('is continued by one of many that come at the same moment', async () => {
    await using storage = await openStorage();
    await seed(storage);
    const tasks = await tasksOf(storage);
    expectOne(await Promise.allSettled(Array.from({ length: 20 }, () => tasks.create(owner, input()))));
    expect(await openOnes(storage)).toHaveLength(1);
  });

  it('is not free any more for the next work of the transaction that continues it', async () => {
    await using storage = await openStorage();
    await seed(storage);
    const { database, store } = storage;
    const later = newTask('task_second', { continues: first });
    const outcomes = await database.write(async (transaction) => {
      await requireFreeSession(store, transaction, first);
      await store.insert(transaction, later, [{ type: 'created', message: 'Created' }]);
      return Promise.allSettled([requireFreeSession(store, transaction, first)]);
    });
    expect(outcomes).toMatchObject([{ reason: continuedAlready }]);
    expect(await openOnes(storage)).toEqual(['task_second']);
  });

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'is continued again once a task that continued it is %s',
    async (status) => {
      await using storage = await openStorage();
      await seed(storage, { later: [newTask('task_second', { ...ended(status), continues: first })] });
      const { task } = await goOn(storage);
      expect(await openOnes(storage)).toEqual([task.id]);
      await expect(goOn(storage)).rejects.toMatchObject(continuedAlready);
    },
  );

  it('is continued by the same task for the same key', async () => {
    await using storage = await openStorage();
    await seed(storage);
    const key = { idempotencyKey: 'once' };
    const [one, other] = await Promise.all([goOn(storage, key), goOn(storage, key)]);
    expect(one.isReplay).not.toBe(other.isReplay);
    expect((await goOn(storage, key)).task.id).toBe(one.task.id);
    expect(other.task.id).toBe(one.task.id);
  });

  it('has one unfinished task that continues it, whichever is retried', async () => {
    await using storage = await openStorage();
    const failed = { ...ended('failed'), continues: first };
    await seed(storage, { later: [newTask('task_a', failed), newTask('task_b', failed)] });
    for (const id of ['task_a', 'task_b']) await addDeadLetter(storage, id);
    const tasks = await tasksOf(storage);
    expectOne(
      await Promise.allSettled([
        tasks.retry(owner, 'task_a'),
        tasks.retry(owner, 'task_b'),
        revive(storage, 'task_a'),
        revive(storage, 'task_b'),
        tasks.create(owner, input()),
      ]),
    );
    expect(await openOnes(storage)).toHaveLength(1);
  });

  it('is continued by one of those on hold that an import brought, until that one has finished', async () => {
    await using storage = await openStorage();
    const onHold = { status: 'pending', held: 1, continues: first } as const;
    await seed(storage, { later: [newTask('task_a', onHold), newTask('task_b', onHold)] });
    const tasks = await tasksOf(storage);
    expectOne(
      await Promise.allSettled([
        tasks.release(owner, 'task_a'),
        tasks.release(owner, 'task_b'),
        goOn(storage),
      ]),
    );
    const released = await storage.database.read
      .selectFrom('tasks')
      .select('id')
      .where('held', '=', 0)
      .where('continues', '=', first)
      .execute();
    expect(released).toHaveLength(1);
    await storage.database.write(({ db }) =>
      db.updateTable('tasks').set(ended('completed')).where('held', '=', 0).execute(),
    );
    const waiting = await openOnes(storage);
    expect(waiting).toHaveLength(1);
    await tasks.release(owner, waiting[0] as string);
  });

  it('is not taken back from the dead letters while a task continues it', async () => {
    await using storage = await openStorage();
    await seed(storage, { status: 'failed' });
    await addDeadLetter(storage, first);
    await goOn(storage);
    await expect(revive(storage, first)).rejects.toMatchObject(continuedAlready);
  });

  it('is not continued after it was taken back from the dead letters', async () => {
    await using storage = await openStorage();
    await seed(storage, { status: 'failed' });
    await addDeadLetter(storage, first);
    const tasks = await tasksOf(storage);
    const continued = await tasks.continued(owner, input());
    await revive(storage, first);
    const purpose = { scope: 'test', key: undefined, body: undefined, attach: () => 'created' };
    await expect(tasks.createFor(owner, continued, purpose)).rejects.toMatchObject({
      code: 'wrong_state',
      message: 'A task that is queued cannot be continued',
    });
  });
});

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('do not both release a task that continues another one', async () => {
    await using race = await openRace();
    const onHold = { status: 'pending', held: 1, continues: first } as const;
    await seed(race.one, { later: [newTask('task_a', onHold), newTask('task_b', onHold)] });
    const release = (id: string) => async (storage: TestStorage) =>
      (await tasksOf(storage)).release(owner, id);
    expectOne(await overlap(race, release('task_a'), release('task_b')));
  });

  it('do not both continue a task', async () => {
    await using race = await openRace();
    await seed(race.one);
    expectOne(await overlap(race, goOn, goOn));
    expect(await openOnes(race.one)).toHaveLength(1);
  });

  it('do not continue a task that the other one takes back from the dead letters', async () => {
    await using race = await openRace();
    await seed(race.one, { status: 'failed' });
    await addDeadLetter(race.one, first);
    const outcomes = await overlap(race, (storage) => revive(storage, first), goOn);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { reason: { code: 'wrong_state', message: 'A task that is queued cannot be continued' } },
    ]);
  });

  it('with several writers each continue a task once', async () => {
    await using made = await openDatabases(2, 3);
    const storages = made.databases.map(storageOf);
    await seed(storages[0] as TestStorage);
    const services = await Promise.all(storages.map(tasksOf));
    const requests = Array.from({ length: 10 }, () => services.map((tasks) => tasks.create(owner, input())));
    expectOne(await Promise.allSettled(requests.flat()));
    expect(await openOnes(storages[0] as TestStorage)).toHaveLength(1);
  });
});
