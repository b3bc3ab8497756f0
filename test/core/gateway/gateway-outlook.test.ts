import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../../helpers/gateway.ts';
import { heldAdapter } from '../../helpers/tasks.ts';

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
  it('is 0 while a worker is free, and rises with each task before it', async () => {
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

  it('counts what is submitted in the same moment', async () => {
    await using queue = await oneWorker();
    const together = await Promise.all(Array.from({ length: 20 }, () => queue.submit()));
    const waits = together.map(({ estimatedWait = -1 }) => estimatedWait).toSorted((a, b) => a - b);
    expect(waits[0]).toBe(0);
    expect(waits.filter((wait) => wait === 0).length).toBeLessThan(20);
    expect(waits.at(-1)).toBeGreaterThan(60_000);
  });

  it('of an urgent task is shorter', async () => {
    await using queue = await oneWorker();
    await queue.submit();
    await queue.held.started(0);
    for (let count = 0; count < 3; count++) await queue.submit();
    expect((await queue.submit(1)).estimatedWait).toBeLessThanOrEqual(60_000);
    expect((await queue.submit(4)).estimatedWait).toBeGreaterThan(200_000);
  });

  it('is shown until the task starts, and falls as others end', async () => {
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
