import type { TaskHead } from '../../../src/core/storage/rows/tasks.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WriteTransaction } from '../../../src/core/storage/database.ts';
import { type TaskChange, untouched } from '../../../src/core/tasks/task-columns.ts';
import type { TaskHappening } from '../../../src/core/tasks/task-outbox.ts';
import { type MoveName, moves } from '../../../src/core/tasks/task-states.ts';
import { allEvents, openOutbox, webhookRow } from '../../helpers/webhooks.ts';
import { settle } from '../../helpers/settle.ts';
import { newTask } from '../../helpers/storage.ts';
import { sized } from '../../helpers/long.ts';

type World = Awaited<ReturnType<typeof openOutbox>>;

const created = { type: 'created' as const, message: 'Created' };
const insert = ({ database, store }: World, id: string, owner = 'user_owner') =>
  database.write(async (transaction) =>
    store.insert(transaction, newTask(id, { owner_id: owner, status: 'queued' }), [created]),
  );

/** What a move changes beside the status, and the events that go with it. */
const steps = {
  claim: [{ agent_type: 'test' }, 'started'],
  complete: [{ result: '{"output":"x","duration":1}' }, 'completed'],
  fail: [{ result: '{"output":"x","duration":1}', error: '{}' }, 'failed'],
  postpone: [{ agent_type: null }, 'retry_scheduled'],
  requeue: [{ agent_type: null }, 'requeued'],
  cancel: [{}, 'cancelled'],
  revive: [{ agent_type: null, result: null, error: null }, 'requeued'],
} as const satisfies Partial<Record<MoveName, readonly [TaskChange, string]>>;
type Step = keyof typeof steps;
const stepNames = Object.keys(steps) as Step[];

async function step(world: World, id: string, name: Step, after: () => void = () => undefined) {
  const { database, store } = world;
  return database.write(async (transaction) => {
    const head = (await store.lockHead(transaction, id)) as TaskHead;
    if (!(moves[name].from as readonly string[]).includes(head.status)) return;
    const [change, type] = steps[name];
    await store.move(transaction, head, name, new Date(), change, [{ type, message: type }]);
    after();
  });
}

class Refused extends Error {}
const refuse = (): never => {
  throw new Refused('No');
};

describe('the outbox of webhooks', () => {
  it('the outbox writes nothing without subscribed webhooks', async () => {
    await using world = await openOutbox();
    await world.addUser('user_owner');
    await world.addUser('user_ann');
    const untouchable = new Proxy({} as WriteTransaction, { get: refuse });
    const task = { ...untouched, ...newTask('t'), seq: 1, event_seq: 1 };
    const happening: TaskHappening = { task, events: [created] };
    const unread = {
      task,
      get events() {
        return refuse();
      },
    };
    expect(() => world.outbox.add(untouchable, unread)).not.toThrow();
    expect(() => world.outbox.add(untouchable, happening)).not.toThrow();
    await world.addWebhooks(webhookRow('wh_ann', { owner_id: 'user_ann' }));
    expect(() => world.outbox.add(untouchable, happening)).not.toThrow();
    await world.addWebhooks(webhookRow('wh_other', { events: '["task.failed"]' }));
    expect(() => world.outbox.add(untouchable, happening)).not.toThrow();
    await world.addWebhooks(webhookRow('wh'));
    expect(() => world.outbox.add(untouchable, happening)).toThrow(Refused);
  });

  it('the outbox stores a delivery that is sent after the commit', async () => {
    await using world = await openOutbox();
    await world.addUser('user_owner');
    await world.addWebhooks(webhookRow('wh'));
    await insert(world, 't');
    const [row, ...others] = await world.deliveries();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      webhook_id: 'wh',
      task_id: 't',
      event: 'task.created',
      status: 'pending',
      attempt: 0,
    });
    expect(row?.body).toBe(
      `{"id":"${row?.id}","event":"task.created","timestamp":"2026-01-01T00:00:00.000Z",` +
        '"payload":{"id":"t","title":"t","status":"pending","source":"api"}}',
    );
    expect(world.sent).toEqual([row?.id]);
  });

  it('the outbox notifies of the end of a run whose worker died', async () => {
    await using world = await openOutbox();
    await world.addUser('user_owner');
    await world.addWebhooks(webhookRow('wh'));
    await insert(world, 't');
    await step(world, 't', 'claim');
    const error = { class: 'agent_crash', code: 'worker_lost', message: 'The worker died' };
    await world.database.write(async (transaction) => {
      const head = (await world.store.lockHead(transaction, 't')) as TaskHead;
      const change = { error: JSON.stringify(error) };
      await world.store.move(transaction, head, 'fail', new Date(), change, [
        { type: 'failed', message: 'x' },
      ]);
    });
    const bodies = (await world.deliveries()).map(({ body }) => JSON.parse(body) as object);
    expect(bodies.slice(2)).toMatchObject([
      { event: 'agent.finished', payload: { taskId: 't', agentType: 'test', output: '' } },
      { event: 'task.failed', payload: { id: 't', title: 't', error, attempts: 0 } },
    ]);
  });

  it('the outbox stores nothing of a rolled back change, and no duplicate of a repeated one', async () => {
    await using world = await openOutbox();
    await world.addUser('user_owner');
    await world.addWebhooks(webhookRow('wh'));
    await insert(world, 'a');
    await insert(world, 'b');
    let runs = 0;
    // In one group: the failure of one lets the other run again.
    const outcomes = await Promise.allSettled([
      step(world, 'a', 'cancel', () => runs++),
      step(world, 'b', 'cancel', refuse),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(runs).toBe(2);
    const rows = await world.deliveries();
    expect(rows.map(({ task_id, event }) => [task_id, event])).toEqual([
      ['a', 'task.created'],
      ['b', 'task.created'],
      ['a', 'task.cancelled'],
    ]);
    expect(world.sent).toEqual(rows.map(({ id }) => id));
  });

  it('the outbox notifies each subscribed webhook once of each task that finishes', async () => {
    const owners = ['user_owner', 'user_ann', 'user_bob'];
    const webhook = fc.record({
      owner_id: fc.constantFrom(...owners),
      sees_all: fc.constantFrom(0, 1),
      status: fc.constantFrom('active', 'failing', 'paused'),
      events: fc.subarray(allEvents, { minLength: 1 }).map((events) => JSON.stringify(events)),
    });
    const action = fc.record({
      task: fc.nat(5),
      step: fc.constantFrom(...stepNames),
      isRefused: fc.boolean(),
    });
    const rounds = fc.array(fc.array(action, { minLength: 1, maxLength: 6 }), { maxLength: 12 });
    let ends = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(webhook, { maxLength: 5 }), rounds, async (webhooks, groups) => {
        await using world = await openOutbox();
        for (const id of owners) await world.addUser(id, id === 'user_owner' ? { role: 'admin' } : {});
        const rows = webhooks.map((change, index) => webhookRow(`wh_${index}`, change));
        if (rows.length > 0) await world.addWebhooks(...rows);
        const taskOwners = Array.from({ length: 6 }, (_, index) => owners[index % 3] ?? '');
        await Promise.all(taskOwners.map((owner, index) => insert(world, `t${index}`, owner)));
        for (const group of groups)
          await Promise.allSettled(
            group.map((each) => step(world, `t${each.task}`, each.step, each.isRefused ? refuse : undefined)),
          );
        const events = await world.database.read
          .selectFrom('task_events')
          .innerJoin('tasks', 'tasks.seq', 'task_events.task_seq')
          .select(['tasks.id', 'tasks.owner_id', 'task_events.type'])
          .where('type', 'in', ['completed', 'failed', 'cancelled'])
          .execute();
        ends += events.length;
        const expected = events.flatMap(({ id, owner_id, type }) =>
          rows
            .filter(
              (row) =>
                row.status !== 'paused' &&
                (row.owner_id === owner_id || (row.sees_all === 1 && row.owner_id === 'user_owner')) &&
                row.events.includes(`"task.${type}"`),
            )
            .map((row) => `${row.id} task.${type} ${id}`),
        );
        const deliveries = await world.deliveries();
        const told = deliveries
          .filter(({ event }) => /^task\.(completed|failed|cancelled)$/.test(event))
          .map(({ webhook_id, event, task_id }) => `${webhook_id} ${event} ${task_id}`);
        expect(told.sort()).toEqual(expected.sort());
        // What was started by now was finished, taken back, or still runs.
        expect(new Set(deliveries.map(({ id }) => id)).size).toBe(deliveries.length);
        expect(world.sent.toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted());
      }),
      { numRuns: sized(30, 60) },
    );
    expect(ends).toBeGreaterThan(0);
  });
});

describe('a webhook that fails', () => {
  it('limits the waiting deliveries of a failing webhook, and fails further ones', async () => {
    await using world = await openOutbox({ maxPending: 5 });
    await world.addUser('user_owner');
    await world.addWebhooks(webhookRow('wh', { status: 'failing' }), webhookRow('wh_well'));
    const insertMany = async (ids: string[]) => {
      for (const id of ids) await insert(world, id);
      // A commit leads to others.
      await settle();
    };
    await insertMany(['t0', 't1', 't2', 't3', 't4']);
    await insertMany(['t5', 't6', 't7']);
    const of = async (id: string) => (await world.deliveries()).filter(({ webhook_id }) => webhook_id === id);
    expect((await of('wh')).map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => 'pending'),
      ...Array.from({ length: 3 }, () => 'failed'),
    ]);
    const rows = await of('wh');
    expect(rows[7]).toMatchObject({
      task_id: 't7',
      attempt: 0,
      error: 'The webhook is failing and already has 5 pending deliveries',
      next_attempt_at: null,
      ended_at: expect.any(String),
    });
    expect(new Set((await of('wh_well')).map(({ status }) => status))).toEqual(new Set(['pending']));
    expect(world.sent).toHaveLength(13);
  });
});
