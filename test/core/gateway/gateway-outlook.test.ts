import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../../helpers/gateway.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { heldAdapter, until } from '../../helpers/tasks.ts';

/** A daemon with one worker whose tasks take as long as the test lets them. */
async function oneWorker() {
  const held = heldAdapter({ type: 'held' });
  const daemon = await startDaemon({
    extraAdapters: [held.adapter],
    flags: { ...manyRequests, 'queue.concurrency': 1 },
  });
  const client = await gatewayClient(daemon);
  const submit = async (priority = 3) =>
    (await client.submit({ task: { title: 'Held', assignedAgent: 'held', priority } })).body;
  return { daemon, held, client, submit, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

describe('estimatedWait', () => {
  it('estimatedWait is 0 while a worker is free, and rises with each task ahead', async () => {
    await using queue = await oneWorker();
    expect((await queue.submit()).estimatedWait).toBe(0);
    await queue.held.started(0);
    const waits = [];
    for (let count = 0; count < 3; count++) waits.push((await queue.submit()).estimatedWait ?? 0);
    // No task has completed yet, so that a minute is the guess for each.
    const [one = 0, two = 0, three = 0] = waits;
    expect(one).toBeGreaterThan(50_000);
    expect(one).toBeLessThanOrEqual(60_000);
    expect(two).toBeGreaterThan(one + 50_000);
    expect(three).toBeGreaterThan(two + 50_000);
    expect(three).toBeLessThanOrEqual(180_000);
  });

  it('estimatedWait counts tasks that are submitted at the same moment', async () => {
    await using queue = await oneWorker();
    const together = await Promise.all(Array.from({ length: 20 }, () => queue.submit()));
    const waits = together.map(({ estimatedWait = -1 }) => estimatedWait).toSorted((a, b) => a - b);
    expect(waits[0]).toBe(0);
    expect(waits.filter((wait) => wait === 0).length).toBeLessThan(20);
    expect(waits.at(-1)).toBeGreaterThan(60_000);
  });

  it('estimatedWait is shorter for an urgent task', async () => {
    await using queue = await oneWorker();
    await queue.submit();
    await queue.held.started(0);
    for (let count = 0; count < 3; count++) await queue.submit();
    expect((await queue.submit(1)).estimatedWait).toBeLessThanOrEqual(60_000);
    expect((await queue.submit(4)).estimatedWait).toBeGreaterThan(200_000);
  });

  it('estimatedWait is shown until the task starts, and falls as others finish', async () => {
    await using queue = await oneWorker();
    await queue.submit();
    const first = await queue.held.started(0);
    const second = await queue.submit();
    const third = await queue.submit();
    const before = await queue.client.status(third.requestId ?? '');
    expect(before).toMatchObject({ status: 'queued', progress: 0 });
    expect(before.estimatedWait).toBeGreaterThan(60_000);
    first.succeed();
    await queue.held.started(1);
    // The first took a moment, and so is the rest expected to.
    const after = await queue.client.status(third.requestId ?? '');
    expect(after.estimatedWait).toBeLessThan(before.estimatedWait ?? 0);
    expect(await queue.client.status(second.requestId ?? '')).not.toHaveProperty('estimatedWait');
  });
});

/** Two agents with a slot each, and one slot for all others; the first is full, and three tasks wait for it. */
async function slotsOfAgents() {
  const full = heldAdapter({ type: 'full' });
  const free = heldAdapter({ type: 'free' });
  const other = heldAdapter({ type: 'other' });
  const daemon = await startDaemon({
    extraAdapters: [full.adapter, free.adapter, other.adapter],
    flags: { ...manyRequests, 'queue.concurrency': 1, 'queue.concurrencyPerAgent': { full: 1, free: 1 } },
  });
  const client = await gatewayClient(daemon);
  const submit = async (assignedAgent: string, priority = 3) =>
    (await client.submit({ task: { title: 'Held', assignedAgent, priority } })).body;
  const wait = async (agent: string, priority = 3) => (await submit(agent, priority)).estimatedWait ?? -1;
  await submit('full');
  await full.started(0);
  for (let count = 0; count < 3; count++) await submit('full');
  return {
    daemon,
    client,
    free,
    submit,
    wait,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

describe('the slots of an agent', () => {
  it('estimatedWait is 0 while the agent has a free slot, although the slots of another are full', async () => {
    await using queue = await slotsOfAgents();
    expect(await queue.wait('free')).toBe(0);
    expect(await queue.wait('other')).toBe(0);
  });

  it('estimatedWait counts what waits for the slots of the agent, although other slots are free', async () => {
    await using queue = await slotsOfAgents();
    // The rest of the run, and the three that wait, a minute each.
    expect(await queue.wait('full')).toBeGreaterThan(180_000);
    expect(await queue.wait('full', 1)).toBeLessThanOrEqual(60_000);
    expect(await queue.wait('full', 1)).toBeGreaterThan(60_000);
  });

  it('estimatedWait counts nothing that waits for other slots', async () => {
    await using queue = await slotsOfAgents();
    await queue.submit('free');
    await queue.free.started(0);
    const next = await queue.submit('free');
    expect(next.estimatedWait).toBeLessThanOrEqual(60_000);
    expect(next.estimatedWait).toBeGreaterThan(0);
    await queue.submit('free');
    await queue.submit('free');
    // Older tasks of the other agent and younger ones of its own are not ahead.
    expect((await queue.client.status(next.requestId ?? '')).estimatedWait).toBeLessThanOrEqual(60_000);
  });

  it('estimatedWait counts no agentic message, which has slots of its own', async () => {
    const held = heldAdapter({ type: 'held' });
    await using world = await startModelDaemon(
      { extraAdapters: [held.adapter], flags: { ...manyRequests, 'queue.concurrency': 1 } },
      (reply) => reply.piece('Hel'),
    );
    const { daemon, model } = world;
    const { conversation } = await daemon.client.conversations.create({ body: {} });
    const controller = new AbortController();
    await fetch(`${daemon.url}/api/chat/conversations/${conversation.id}/messages/agentic`, {
      method: 'POST',
      headers: { ...daemon.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'hi' }),
      signal: controller.signal,
    });
    await until(() => expect(model.asked).toHaveLength(1));
    const client = await gatewayClient(daemon);
    const { body } = await client.submit({ task: { title: 'Held', assignedAgent: 'held' } });
    expect(body.estimatedWait).toBe(0);
    controller.abort();
  });

  it('estimatedWait counts the tasks that wait while the queue is paused', async () => {
    await using queue = await oneWorker();
    await queue.daemon.client.queue.pause();
    for (let count = 0; count < 3; count++) await queue.submit();
    expect((await queue.submit()).estimatedWait).toBeGreaterThanOrEqual(180_000);
  });
});
