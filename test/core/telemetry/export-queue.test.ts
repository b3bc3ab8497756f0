import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ExportQueue } from '../../../src/core/telemetry/export-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function queueOf(options: Partial<ConstructorParameters<typeof ExportQueue<number>>[0]> = {}) {
  const batches: number[][] = [];
  const onDropped = vi.fn<(count: number) => void>();
  const send = async (batch: number[]) => void batches.push(batch);
  const queue = new ExportQueue<number>({
    maxQueue: 4,
    maxBatch: 2,
    delayMs: 100,
    send,
    onDropped,
    ...options,
  });
  return { queue, batches, onDropped };
}

it('sends what waits after the delay, or at once where a batch is full', async () => {
  const { queue, batches } = queueOf();
  queue.add(1);
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  expect(batches).toEqual([[1]]);
  queue.add(2);
  queue.add(3);
  expect(batches).toEqual([[1], [2, 3]]);
});

it('drops and counts what finds no room while a batch is on its way', async () => {
  const first = Promise.withResolvers<void>();
  const sent: number[][] = [];
  const { queue, onDropped } = queueOf({
    send: async (batch) => {
      sent.push(batch);
      if (sent.length === 1) await first.promise;
    },
  });
  for (let item = 1; item <= 9; item++) queue.add(item);
  expect(sent).toEqual([[1, 2]]);
  expect(onDropped).toHaveBeenCalledTimes(3);
  first.resolve();
  await queue.flush();
  expect(sent).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
});

it('flushes all that waits, and nothing when there is nothing', async () => {
  const { queue, batches } = queueOf();
  await queue.flush();
  expect(batches).toEqual([]);
  queue.add(1);
  await queue.flush();
  expect(batches).toEqual([[1]]);
});
