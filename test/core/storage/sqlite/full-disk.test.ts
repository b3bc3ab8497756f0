import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../../helpers/daemon.ts';
import { follow, heldAdapter, testAdapter, until } from '../../../helpers/tasks.ts';
import { watchWriter } from './test-database.ts';

interface FullDisk {
  daemon: TestDaemon;
  /** Takes the last free page away. */
  fill(): Promise<void>;
  free(): void;
}

async function startOnSmallDisk(options: TestDaemonOptions): Promise<FullDisk> {
  const { opened: daemon, writer } = await watchWriter(() => startDaemon(options));
  return {
    daemon,
    async fill() {
      limitPages(writer, Number(writer.prepare('pragma page_count').get()?.['page_count']));
      await until(() => expect(post(daemon)).rejects.toMatchObject({ status: 507 }));
    },
    free: () => limitPages(writer, 1_073_741_823),
  };
}

const limitPages = (writer: DatabaseSync, pages: number) => writer.exec(`pragma max_page_count = ${pages}`);

/** Too long for what is left of any page. */
const post = (daemon: TestDaemon, body: { assignedAgent?: string } = {}) =>
  daemon.client.tasks.create({ body: { title: 'A task', description: 'x'.repeat(20_000), ...body } });

const long = 'y'.repeat(500_000);

describe('a full disk', () => {
  it('on a full disk writes get a clear error, reads succeed, and writes recover', async () => {
    const disk = await startOnSmallDisk({ extraAdapters: [testAdapter(async () => ({ output: 'done' }))] });
    await using daemon = disk.daemon;
    const { task } = await post(daemon, { assignedAgent: 'test' });
    await follow(daemon.client, task.id);
    await disk.fill();
    await expect(post(daemon)).rejects.toMatchObject({
      status: 507,
      message: 'The disk is full: nothing was stored. Free some space and try again.',
    });
    expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe('completed');
    expect((await daemon.client.tasks.list()).tasks.map(({ id }) => id)).toContain(task.id);
    expect((await fetch(`${daemon.url}/api/health`)).status).toBe(200);
    const before = (await daemon.client.tasks.list()).total;

    disk.free();
    const { task: next } = await post(daemon, { assignedAgent: 'test' });
    expect((await follow(daemon.client, next.id)).task.status).toBe('completed');
    expect((await daemon.client.tasks.list()).total).toBe(before + 1);
  });

  it('answers every concurrent write correctly', async () => {
    const disk = await startOnSmallDisk({});
    await using daemon = disk.daemon;
    await disk.fill();
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => post(daemon)));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    disk.free();
    const stored = await Promise.allSettled(Array.from({ length: 50 }, () => post(daemon)));
    expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
  });

  it('stores the outcome of a run once there is space', async () => {
    const held = heldAdapter();
    const disk = await startOnSmallDisk({ extraAdapters: [held.adapter] });
    await using daemon = disk.daemon;
    const { task } = await post(daemon, { assignedAgent: 'test' });
    const run = await held.started(0);
    await disk.fill();
    for (let step = 0; step < 20; step++)
      run.run.emit({ type: 'progress', message: `${step} ${long.slice(0, 9000)}` });
    run.succeed(long);
    // The run is over, and the disk has refused its outcome at least once.
    await until(() => expect(post(daemon)).rejects.toMatchObject({ status: 507 }));
    expect((await daemon.client.tasks.get({ params: { id: task.id } })).task.status).toBe('in_progress');

    disk.free();
    const { task: ended, events } = await follow(daemon.client, task.id);
    expect(ended).toMatchObject({ status: 'completed', attempts: 1, result: { output: long } });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const steps = events
      .filter(({ type }) => type === 'progress')
      .map(({ message }) => message.split(' ')[0]);
    expect(steps).toEqual(Array.from({ length: 20 }, (_, step) => String(step)));
  });

  it('keeps the claim of a run until its outcome is stored', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let later = 0;
    const runtime = { ...systemRuntime, now: () => new Date(Date.now() + later) };
    const held = heldAdapter();
    const disk = await startOnSmallDisk({ extraAdapters: [held.adapter], runtime });
    await using daemon = disk.daemon;
    const { task } = await post(daemon, { assignedAgent: 'test' });
    const run = await held.started(0);
    await disk.fill();
    run.succeed(long);
    await until(() => expect(post(daemon)).rejects.toMatchObject({ status: 507 }));
    // Longer than a lease, and the sweeper comes before the next try to store the outcome.
    later = 120_000;
    disk.free();
    await vi.advanceTimersByTimeAsync(15_000);
    const { task: ended } = await follow(daemon.client, task.id);
    expect(ended).toMatchObject({ status: 'completed', attempts: 1 });
    expect(held.runs).toHaveLength(1);
  });

  it('a full disk does not block a shutdown, and the task is retried at the next start', async () => {
    const held = heldAdapter();
    const disk = await startOnSmallDisk({ extraAdapters: [held.adapter] });
    const first = disk.daemon;
    const { task } = await post(first, { assignedAgent: 'test' });
    const run = await held.started(0);
    await disk.fill();
    run.succeed(long);
    await first.stop();
    await using second = await startDaemon({
      home: first.home,
      extraAdapters: [testAdapter(async () => ({ output: 'again' }))],
    });
    const { task: ended } = await follow(second.client, task.id);
    expect(ended).toMatchObject({ status: 'completed', attempts: 2, result: { output: 'again' } });
  });
});
