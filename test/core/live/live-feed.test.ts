import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveMessage } from '../../../src/contract/live.ts';
import type { QueueStatus } from '../../../src/contract/queue.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import type { QueueStatusService } from '../../../src/core/tasks/queue-status-service.ts';
import { EventBus } from '../../../src/core/events.ts';
import { LiveFeed } from '../../../src/core/live/live-feed.ts';
import { silentLog } from '../../../src/core/log.ts';
import { RunProgressReports } from '../../../src/core/tasks/run-progress.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A feed over a queue whose state the test gives. */
function feedOf(read: () => Promise<QueueStatus>) {
  const bus = new EventBus();
  const queueStatus = { read } as unknown as QueueStatusService;
  const runProgress = new RunProgressReports(bus);
  const feed = new LiveFeed({
    accessWatch: { watch: () => () => undefined },
    bus,
    queueStatus,
    runProgress,
    runtime: systemRuntime,
    log: silentLog,
    version: '1.2.3',
  });
  const messages: LiveMessage[] = [];
  const subscription = feed.subscribe(owner, {
    send: (message) => void messages.push(message),
    end: () => undefined,
    isBehind: () => false,
  });
  return { bus, messages, subscription, stop: () => subscription.stop(), runProgress };
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

describe('a subscriber with topics', () => {
  it('gets a heartbeat every 15 seconds, and nothing gets one without topics', async () => {
    const { messages, subscription, stop } = feedOf(async () => status);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(messages.map(({ type }) => type)).toEqual(['hello']);
    subscription.watch(['queue']);
    subscription.watch(['tasks']);
    await vi.advanceTimersByTimeAsync(45_000);
    expect(messages.map(({ type }) => type)).toEqual([
      'hello',
      'watching',
      'watching',
      'heartbeat',
      'heartbeat',
      'heartbeat',
    ]);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('names the version of the daemon first', () => {
    expect(feedOf(async () => status).messages[0]).toEqual({
      type: 'hello',
      at: expect.any(String),
      version: '1.2.3',
    });
  });

  it('learns that agents have changed only where it watches them', () => {
    const { bus, messages, subscription } = feedOf(async () => status);
    bus.emit('agents_changed', undefined);
    subscription.watch(['tasks']);
    bus.emit('agents_changed', undefined);
    subscription.watch(['agents']);
    bus.emit('agents_changed', undefined);
    expect(messages.map(({ type }) => type)).toEqual(['hello', 'watching', 'watching', 'agents']);
  });

  it('causes no reads of the queue unless it watches it', async () => {
    let reads = 0;
    const { bus, subscription } = feedOf(async () => {
      reads++;
      return status;
    });
    subscription.watch(['tasks']);
    bus.emit('queue', undefined);
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads).toBe(0);
    subscription.watch(['queue']);
    bus.emit('queue', undefined);
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads).toBe(1);
  });

  it('listens to output only while it watches a task', () => {
    const { bus, subscription, stop } = feedOf(async () => status);
    expect(bus.has('task_output')).toBe(false);
    subscription.watch(['tasks', 'task:task_1']);
    expect(bus.has('task_output')).toBe(true);
    subscription.watch(['tasks']);
    expect(bus.has('task_output')).toBe(false);
    subscription.watch(['task:task_1']);
    stop();
    expect(bus.has('task_output')).toBe(false);
  });
});
