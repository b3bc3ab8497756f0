import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CreateTask } from '../../src/contract/task.ts';
import { owner } from '../../src/core/auth/owner.ts';
import { startDaemon } from '../helpers/daemon.ts';
import { testAdapter } from '../helpers/tasks.ts';
import { sized } from '../helpers/long.ts';

/** Runs that end only when they are told to. */
let running = 0;
const patient = testAdapter(async ({ signal }) => {
  running++;
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  running--;
  throw signal.reason;
});
const body: CreateTask = { title: 'Waits', priority: 3, source: 'api', labels: [], assignedAgent: 'test' };

/** Lets other work of this moment go on for so many steps. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve();
}

afterEach(() => {
  running = 0;
});

describe('a task that is cancelled at any moment of its start', () => {
  it('cancels a task at any moment of its start, including during the commit that claims it', async () => {
    await using daemon = await startDaemon({ extraAdapters: [patient], flags: { 'queue.concurrency': 100 } });
    const { tasks } = daemon.app;
    for (let count = 0; count < 40; count += sized(4, 1)) {
      const { task } = await tasks.create(owner, body);
      await steps(count);
      const { status } = await tasks.cancel(owner, task.id);
      expect(status).toBe('cancelled');
    }
    // Well before the renewal of the leases, which would find them in the end.
    await vi.waitFor(() => expect(running).toBe(0), { timeout: 5000 });
  });

  it(
    'a daemon stops at any moment of the start of a task, and does not count the attempt',
    { timeout: sized(40_000, 300_000) },
    async () => {
      for (let count = 0; count < 24; count += sized(6, 2)) {
        await using daemon = await startDaemon({ extraAdapters: [patient] });
        const { task } = await daemon.app.tasks.create(owner, body);
        await steps(count);
        await daemon.stop();
        expect(running).toBe(0);
        await using next = await startDaemon({ home: daemon.home });
        const { task: kept } = await next.client.tasks.get({ params: { id: task.id } });
        expect(kept).toMatchObject({ attempts: 0 });
      }
    },
  );
});
