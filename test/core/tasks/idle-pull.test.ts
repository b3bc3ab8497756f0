import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import type { QueuedWork } from '../../../src/core/queue/task-queue.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { IdlePull, type IdlePullDeps } from '../../../src/core/tasks/idle-pull.ts';
import { untouched } from '../../../src/core/tasks/task-columns.ts';
import { newTask } from '../../helpers/storage.ts';

const PAGE = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Looks for so many due tasks, of which it can run those from `runsFrom` on, and which begin once it has woken them. */
function openPull(count: number, { runsFrom = 0, begins = true } = {}) {
  const due = Array.from({ length: count }, (_, seq) => ({
    ...untouched,
    ...newTask(`task_${seq}`, { status: 'queued', assigned_agent: seq < runsFrom ? 'elsewhere' : 'here' }),
    seq,
  }));
  const woken: string[] = [];
  const pool = { name: '', slots: 2, running: 0, waiting: 0, users: 0, levels: [] };
  const pause = { isPaused: false };
  const deps = {
    scan: {
      due: vi.fn(async (_before: string, _host: string, after?: { seq: number }) =>
        due.filter(({ seq }) => !after || seq > after.seq).slice(0, PAGE),
      ),
    },
    admission: {
      wake: async ({ id }: { id: string }) => {
        woken.push(id);
        if (begins)
          due.splice(
            due.findIndex((task) => task.id === id),
            1,
          );
      },
    },
    queue: { pools: () => [pool] },
    pause,
    intake: { isOpen: true, runs: ({ agent }: QueuedWork) => agent === 'here' },
    registry: { choose: () => ({ missing: 'It is not here' }) },
    daemon: { host: 'one' },
    runtime: systemRuntime,
    log: silentLog,
  };
  return { pull: new IdlePull(deps as unknown as IdlePullDeps), reads: deps.scan.due, woken, pool, pause };
}

it('reads on soon while there is more than a page, and once a second otherwise', async () => {
  const { pull, reads, woken } = openPull(2.5 * PAGE);
  pull.start();
  await vi.advanceTimersByTimeAsync(1000);
  expect(woken).toHaveLength(PAGE);
  await vi.advanceTimersByTimeAsync(100);
  expect(woken).toHaveLength(2.5 * PAGE);
  await vi.advanceTimersByTimeAsync(900);
  expect(reads).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(100);
  expect(reads).toHaveBeenCalledTimes(4);
  await pull.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads).toHaveBeenCalledTimes(4);
});

it('waits with the next page until what it found has begun', async () => {
  const { pull, reads, pool } = openPull(1.5 * PAGE);
  pull.start();
  await vi.advanceTimersByTimeAsync(1000);
  pool.waiting = 98;
  await vi.advanceTimersByTimeAsync(500);
  expect(reads).toHaveBeenCalledTimes(1);
  pool.waiting = 0;
  await vi.advanceTimersByTimeAsync(100);
  expect(reads).toHaveBeenCalledTimes(2);
  await pull.stop();
});

it('looks past what other daemons have to run, however many those are, and then starts over', async () => {
  const { pull, reads, woken } = openPull(7.5 * PAGE, { runsFrom: 7 * PAGE });
  pull.start();
  await vi.advanceTimersByTimeAsync(1000 + 7 * 200);
  expect(reads).toHaveBeenCalledTimes(8);
  expect(woken).toHaveLength(PAGE / 2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).toHaveBeenLastCalledWith(expect.anything(), 'one', undefined, PAGE);
  await pull.stop();
});

it('looks past a page that does not get on', async () => {
  const { pull, reads, woken } = openPull(1.5 * PAGE, { begins: false });
  pull.start();
  await vi.advanceTimersByTimeAsync(1000 + 50 + 200);
  // The second reading finds the same, and the third what is behind it.
  expect(reads).toHaveBeenCalledTimes(3);
  expect(new Set(woken).size).toBe(1.5 * PAGE);
  await pull.stop();
});

it('reads nothing while the queue is paused', async () => {
  const { pull, reads, pause } = openPull(PAGE);
  pause.isPaused = true;
  pull.start();
  await vi.advanceTimersByTimeAsync(5000);
  expect(reads).not.toHaveBeenCalled();
  pause.isPaused = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).toHaveBeenCalledOnce();
  await pull.stop();
});

it('does not hurry for a database that does not answer', async () => {
  const { pull, reads } = openPull(3 * PAGE);
  pull.start();
  await vi.advanceTimersByTimeAsync(1000);
  reads.mockRejectedValueOnce(new Error('away'));
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(50);
  expect(reads).toHaveBeenCalledTimes(3);
  await pull.stop();
});
