import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveMessage } from '../../../src/contract/live.ts';
import type { QueueStatus } from '../../../src/contract/queue.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import type { QueueStatusService } from '../../../src/core/tasks/queue-status-service.ts';
import { EventBus } from '../../../src/core/events.ts';
import { LiveFeed } from '../../../src/core/live/live-feed.ts';
import { silentLog } from '../../../src/core/log.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A feed over a queue whose state the test gives. */
function feedOf(read: () => Promise<QueueStatus>) {
  const bus = new EventBus();
  const queueStatus = { read } as unknown as QueueStatusService;
  const feed = new LiveFeed({ bus, queueStatus, runtime: systemRuntime, log: silentLog });
  const messages: LiveMessage[] = [];
  const stop = feed.subscribe(owner, {
    send: (message) => void messages.push(message),
    end: () => undefined,
  });
  return { bus, messages, stop };
}
const status = { mode: 'memory', paused: false } as QueueStatus;

describe('the queue state in the live feed', () => {
  it('sends the queue state at most twice a second, however often it changes', async () => {
    let reads = 0;
    const { bus, messages, stop } = feedOf(async () => {
      reads++;
      return status;
    });
    for (let changes = 0; changes < 1000; changes++) {
      bus.emit('queue', undefined);
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(1000);
    const told = messages.filter(({ type }) => type === 'queue').length;
    expect(told).toBe(reads);
    expect(told).toBeGreaterThanOrEqual(2);
    expect(told).toBeLessThanOrEqual(3);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends the queue state again after one failed read', async () => {
    let reads = 0;
    const { bus, messages } = feedOf(async () => {
      if (++reads === 1) throw new Error('No');
      return status;
    });
    bus.emit('queue', undefined);
    await vi.advanceTimersByTimeAsync(1000);
    expect(messages.map(({ type }) => type)).toEqual(['hello']);
    bus.emit('queue', undefined);
    await vi.advanceTimersByTimeAsync(1000);
    expect(messages.map(({ type }) => type)).toEqual(['hello', 'queue']);
  });
});

it('sends nothing after the subscription is closed', async () => {
  const { bus, messages, stop } = feedOf(async () => status);
  bus.emit('queue', undefined);
  stop();
  bus.emit('queue', undefined);
  await vi.advanceTimersByTimeAsync(1000);
  expect(messages.map(({ type }) => type)).toEqual(['hello']);
  expect(bus.has('task') || bus.has('queue') || bus.has('notification')).toBe(false);
});
