import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { says } from '../helpers/model-server.ts';
import { follow, heldAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const create = async (client: TestDaemon['client'], title: string, priority = 3) =>
  (await client.tasks.create({ body: { title, assignedAgent: 'test', priority } })).task.id;

describe('a daemon with hung tasks', () => {
  it('answers an agentic message beside ten of them', async () => {
    const held = heldAdapter();
    await using world = await startModelDaemon({ extraAdapters: [held.adapter] }, says('Here I am'));
    const { client } = world.daemon;
    for (let index = 0; index < 15; index++) await create(client, `${index}`, 1);
    await held.started(9);
    const { conversation } = await client.conversations.create({ body: {} });
    const events = [];
    for await (const { data } of client.conversations.sendAgenticMessageStream({
      params: { id: conversation.id },
      body: { content: 'Are you there?' },
    }))
      events.push(data.type);
    expect(events).toContain('complete');
    const { pools } = await client.queue.getStatus();
    expect(pools).toContainEqual({ name: 'tasks', slots: 10, running: 10, waiting: 5, users: 1 });
    expect(pools.find(({ name }) => name === 'interactive')).toMatchObject({ slots: 32 });
  });

  it('opens the reserved lane to no task that only says that it is agentic', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({
      extraAdapters: [held.adapter],
      flags: { 'queue.concurrency': 1 },
    });
    const body = { assignedAgent: 'test', labels: ['agentic'], priority: 1 };
    for (const title of ['a', 'b']) await daemon.client.tasks.create({ body: { ...body, title } });
    await held.started(0);
    const { pools } = await daemon.client.queue.getStatus();
    expect(pools.find(({ name }) => name === 'interactive')).toMatchObject({ running: 0, waiting: 0 });
    expect(pools.find(({ name }) => name === 'tasks')).toMatchObject({ running: 1, waiting: 1 });
  });

  it('runs the tasks of another user', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const ann = await addUser(daemon, 'ann');
    daemon.app.bus.emit('users_changed', undefined);
    await daemon.app.queue.status();
    for (let index = 0; index < 20; index++) await create(daemon.client, `${index}`);
    await held.started(7);
    const id = await create(ann.client, 'of ann');
    const run = await held.started(8);
    expect(run.run.task.title).toBe('of ann');
    run.succeed();
    expect((await follow(daemon.client, id)).task.status).toBe('completed');
  });

  it.each([
    ['queue.maxConcurrentPerUser', 2],
    ['queue.maxConcurrentPerUserAndAgent', 2],
  ] as const)('keeps to %s, and says so', async (setting, limit) => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter], flags: { [setting]: limit } });
    for (let index = 0; index < 5; index++) await create(daemon.client, `${index}`);
    await held.started(1);
    const ann = await addUser(daemon, 'ann');
    await create(ann.client, 'of ann');
    await held.started(2);
    const titles = held.runs.map(({ run }) => run.task.title);
    // The first two start side by side, so either may be first.
    expect([...titles.slice(0, 2).toSorted(), ...titles.slice(2)]).toEqual(['0', '1', 'of ann']);
    const { limits } = await daemon.client.queue.getStatus();
    expect(Object.values(limits)).toContain(limit);
    held.runs[0]?.succeed();
    expect((await held.started(3)).run.task.title).toBe('2');
  });

  it('gives an agent slots of its own', async () => {
    const many = heldAdapter();
    const few = heldAdapter({ type: 'few' });
    await using daemon = await startDaemon({
      extraAdapters: [many.adapter, few.adapter],
      flags: { 'queue.concurrency': 3, 'queue.concurrencyPerAgent': { few: 1 } },
    });
    for (let index = 0; index < 5; index++) {
      await create(daemon.client, `${index}`);
      await daemon.client.tasks.create({ body: { title: `few ${index}`, assignedAgent: 'few' } });
    }
    await many.started(2);
    await few.started(0);
    await until(async () =>
      expect((await daemon.client.queue.getStatus()).pools).toEqual([
        { name: 'agent:few', slots: 1, running: 1, waiting: 4, users: 1 },
        { name: 'interactive', slots: 32, running: 0, waiting: 0, users: 0 },
        { name: 'tasks', slots: 3, running: 3, waiting: 2, users: 1 },
      ]),
    );
  });
});
