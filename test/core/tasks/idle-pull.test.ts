import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { IdlePull, type IdlePullDeps } from '../../../src/core/tasks/idle-pull.ts';
import { untouched } from '../../../src/core/tasks/task-columns.ts';
import { newTask } from '../../helpers/storage.ts';

const PAGE = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Looks for so many due tasks, which this daemon can run, or which stay where they are once it has woken them. */
function openPull(count: number, { runs = true, begins = true } = {}) {
  const due = Array.from({ length: count }, (_, seq) => ({
    ...untouched,
    ...newTask(`task_${seq}`, { status: 'queued' }),
    seq,
  }));
  const woken: string[] = [];
  const pool = { name: '', slots: 2, running: 0, waiting: 0, users: 0, levels: [] };
  const deps = {
    scan: { due: vi.fn(async () => due.slice(0, PAGE)) },
    admission: {
      wake: async ({ id }: { id: string }) => {
        woken.push(id);
        if (begins) due.shift();
      },
    },
    queue: { pools: () => [pool] },
    intake: { isOpen: true, runs: () => runs },
    registry: { choose: () => ({ missing: 'none' }) },
    daemon: { host: 'one' },
    runtime: systemRuntime,
    log: silentLog,
  };
  return { pull: new IdlePull(deps as unknown as IdlePullDeps), reads: deps.scan.due, woken, pool };
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

it('does not hurry for a page that other daemons have to run', async () => {
  const { pull, reads, woken } = openPull(2 * PAGE, { runs: false });
  pull.start();
  await vi.advanceTimersByTimeAsync(3000);
  expect(reads).toHaveBeenCalledTimes(3);
  expect(woken).toEqual([]);
  await pull.stop();
});

it('does not hurry for a page that does not get on', async () => {
  const { pull, reads } = openPull(2 * PAGE, { begins: false });
  pull.start();
  await vi.advanceTimersByTimeAsync(3050);
  // The second reading finds the same, and the third and fourth come a second later each.
  expect(reads).toHaveBeenCalledTimes(4);
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
