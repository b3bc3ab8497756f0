import type { TaskHead } from '../../../src/core/storage/rows/tasks.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskEvent, TaskStatus } from '../../../src/contract/task.ts';
import { TaskCountStore } from '../../../src/core/storage/task-count-store.ts';
import { type MoveName, moves } from '../../../src/core/tasks/task-states.ts';
import type { NewEvent } from '../../../src/core/tasks/new-event.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';
import { sized } from '../../helpers/long.ts';

const moveNames = Object.keys(moves) as MoveName[];
const now = new Date('2026-02-03T04:05:06.789Z');
const events = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'progress', message: `${index}` }));

/** What the runner changes with each kind of move. */
const changeOf = (move: MoveName, task: TaskHead) => {
  if (move === 'claim') return { fence: task.fence + 1, agent_type: 'test', started_at: now.toISOString() };
  if (move === 'complete' || move === 'fail' || move === 'cancel') return { completed_at: now.toISOString() };
  if (move === 'revive') return { agent_type: null, completed_at: null };
  return move === 'admit' ? {} : { agent_type: null };
};

const headOf = async ({ store }: TestStorage, id: string) => {
  const head = await store.findHead(id);
  if (!head) throw new Error(`There is no task ${id}`);
  return head;
};
const move = (storage: TestStorage, head: TaskHead, name: MoveName, count = 1) =>
  storage.database.write((transaction) =>
    storage.store.move(transaction, head, name, now, changeOf(name, head), events(count)),
  );

async function eventsOf({ database }: TestStorage, head: TaskHead) {
  const rows = await database.read
    .selectFrom('task_events')
    .select('seq')
    .where('task_seq', '=', head.seq)
    .orderBy('seq')
    .execute();
  return rows.map(({ seq }) => seq);
}

/** The counts, as they are kept and as the rows have them. */
async function countsOf({ database }: TestStorage) {
  const kept = (await new TaskCountStore(database).cells()).map(
    ({ status, priority, source, agent, n }) => `${status} ${priority} ${source} ${agent} ${n}`,
  );
  const rows = await database.read
    .selectFrom('tasks')
    .select(({ fn }) => ['status', 'priority', 'source', 'agent_type', fn.countAll<number>().as('n')])
    .groupBy(['status', 'priority', 'source', 'agent_type'])
    .execute();
  const counted = rows.map(
    ({ status, priority, source, agent_type, n }) =>
      `${status} ${priority} ${source} ${agent_type ?? ''} ${n}`,
  );
  return { kept: kept.sort(), counted: counted.sort() };
}

describe('task transitions', () => {
  it('transitions lead from and to the states of the interface', () => {
    const edges = moveNames.flatMap((name) => moves[name].from.map((from) => `${from} > ${moves[name].to}`));
    expect([...new Set(edges)].sort()).toEqual([
      'failed > queued',
      'in_progress > cancelled',
      'in_progress > completed',
      'in_progress > failed',
      // Its agent needs a person first, such as to log in.
      'in_progress > pending',
      'in_progress > queued',
      'pending > cancelled',
      'pending > queued',
      'queued > cancelled',
      'queued > in_progress',
    ]);
  });
});

describe('random transitions of some tasks', () => {
  const step = fc.record({
    task: fc.nat(3),
    move: fc.nat(100),
    /** Most tasks live on, so that they are claimed more than once. */
    mayEnd: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    /** How many heads back the mover's knowledge is. */
    age: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(5)),
    events: fc.nat(3),
    isNote: fc.boolean(),
  });

  it('random transitions keep state, events and counts consistent', async () => {
    await using storage = await openStorage();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const prefix = `run${++run}`;
        const ids = [0, 1, 2, 3].map((index) => `${prefix}_${index}`);
        await insertTasks(
          storage,
          ids.map((id, index) => newTask(id, { priority: index + 1 })),
        );
        const histories = new Map<string, TaskHead[]>();
        for (const id of ids) histories.set(id, [await headOf(storage, id)]);
        for (const { task, move: choice, mayEnd, age, events: count, isNote } of steps) {
          const history = histories.get(ids[task] ?? '') ?? [];
          const current = history.at(-1);
          const seen = history.at(-1 - age) ?? current;
          if (!current || !seen) throw new Error('A task without a history');
          const isStale = seen.status !== current.status || seen.fence !== current.fence;
          const open = moveNames.filter(
            (name) =>
              (moves[name].from as readonly TaskStatus[]).includes(seen.status) &&
              (mayEnd || !['completed', 'cancelled'].includes(moves[name].to)),
          );
          const name = isNote ? undefined : open[choice % Math.max(1, open.length)];
          if (isNote) {
            const isAdded = await storage.database.write((transaction) =>
              storage.store.addEvents(transaction, seen, now, events(count)),
            );
            expect(isAdded).toBe(!isStale);
          } else if (name !== undefined) {
            const moved = await move(storage, seen, name, count);
            expect(moved === undefined).toBe(isStale);
          }
          const after = await headOf(storage, current.id);
          const isMoved = !isStale && name !== undefined;
          expect(after.status).toBe(isMoved ? moves[name].to : current.status);
          expect(after.fence).toBe(current.fence + (isMoved && name === 'claim' ? 1 : 0));
          const isTold = !isStale && (isNote || isMoved);
          expect(after.event_seq).toBe(current.event_seq + (isTold ? count : 0));
          history.push(after);
        }
        for (const id of ids) {
          const head = await headOf(storage, id);
          expect(await eventsOf(storage, head)).toEqual(
            Array.from({ length: head.event_seq }, (_, at) => at + 1),
          );
        }
        const { kept, counted } = await countsOf(storage);
        expect(kept).toEqual(counted);
      }),
      { numRuns: sized(8, 40) },
    );
  });

  it('refuses every transition that the table does not contain', async () => {
    await using storage = await openStorage();
    for (const status of ['pending', 'queued', 'in_progress', 'completed', 'failed', 'cancelled'] as const)
      for (const name of moveNames) {
        const id = `${status}_${name}`;
        await insertTasks(storage, [newTask(id, { status })]);
        const isEdge = (moves[name].from as readonly TaskStatus[]).includes(status);
        const moved = await move(storage, await headOf(storage, id), name).catch(() => undefined);
        expect(moved !== undefined, id).toBe(isEdge);
      }
  });
});

describe('the worker of an outdated claim', () => {
  it('an outdated claim changes nothing, even when the task is in the same state again', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [newTask('twice', { status: 'queued' })]);
    const old = await move(storage, await headOf(storage, 'twice'), 'claim');
    if (!old) throw new Error('The task was not claimed');
    await move(storage, old, 'requeue');
    await move(storage, await headOf(storage, 'twice'), 'claim');
    const before = await headOf(storage, 'twice');
    expect(before).toMatchObject({ status: 'in_progress', fence: 2 });
    for (const name of ['complete', 'fail', 'postpone', 'requeue'] as const)
      expect(await move(storage, old, name)).toBeUndefined();
    const isAdded = await storage.database.write((transaction) =>
      storage.store.addEvents(transaction, old, now, events(1)),
    );
    expect(isAdded).toBe(false);
    expect(await headOf(storage, 'twice')).toEqual(before);
  });
});

describe('simultaneous transitions', () => {
  it('exactly one of many simultaneous transitions succeeds', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [newTask('contested', { status: 'queued' })]);
    const head = await headOf(storage, 'contested');
    const won = await Promise.all(Array.from({ length: 50 }, () => move(storage, head, 'claim')));
    expect(won.filter((moved) => moved !== undefined)).toHaveLength(1);
    expect(await headOf(storage, 'contested')).toMatchObject({
      status: 'in_progress',
      fence: 1,
      event_seq: 2,
    });
    const { kept, counted } = await countsOf(storage);
    expect(kept).toEqual(counted);
  });

  it('a failed transition leaves nothing behind', async () => {
    await using storage = await openStorage();
    await insertTasks(
      storage,
      ['a', 'b', 'c'].map((id) => newTask(id, { status: 'queued' })),
    );
    const heads = await Promise.all(['a', 'b', 'c'].map((id) => headOf(storage, id)));
    const answers = await Promise.allSettled(
      heads.map((head) =>
        storage.database.write(async (transaction) => {
          await storage.store.move(transaction, head, 'claim', now, changeOf('claim', head), events(2));
          if (head.id === 'b') throw new Error('No');
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    for (const { id } of heads) {
      const head = await headOf(storage, id);
      expect(head).toMatchObject(
        id === 'b' ? { status: 'queued', event_seq: 1 } : { status: 'in_progress', event_seq: 3 },
      );
      expect(await eventsOf(storage, head)).toHaveLength(head.event_seq);
    }
    const { kept, counted } = await countsOf(storage);
    expect(kept).toEqual(counted);
  });
});

describe('listeners for task events', () => {
  it('a listener receives each event once, after it is stored, in order', async () => {
    await using storage = await openStorage();
    const heard: { status: TaskStatus; event: TaskEvent }[] = [];
    storage.bus.on('task', ({ task, event }) => heard.push({ status: task.status, event }));
    await insertTasks(storage, [newTask('told')]);
    await move(storage, await headOf(storage, 'told'), 'admit', 2);
    const failing = storage.database.write(async (transaction) => {
      const head = await headOf(storage, 'told');
      await storage.store.move(transaction, head, 'claim', now, {}, events(1));
      throw new Error('No');
    });
    await expect(failing).rejects.toThrow('No');
    expect(heard.map(({ status, event }) => [status, event.seq])).toEqual([
      ['pending', 1],
      ['queued', 2],
      ['queued', 3],
    ]);
  });
});
