import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventBus } from '../../../src/core/events.ts';
import { SharedCapacity } from '../../../src/core/queue/shared-capacity.ts';

const POOL = 'tasks';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A daemon with two slots in its pool, beside others that are not there. */
function daemon(others: string[] = ['b']) {
  const bus = new EventBus();
  const pool = { free: 2, waiting: 0 };
  const given: number[] = [];
  const told: number[] = [];
  bus.onLocal('capacity_changed', ({ free }) => told.push(free));
  const capacity = new SharedCapacity(
    { bus, daemonId: 'a', others: () => others, monotonic: () => performance.now() },
    {
      names: () => [POOL],
      slots: () => 2,
      free: () => pool.free,
      waiting: () => pool.waiting,
      give: (_, count) => given.push(count),
    },
  );
  capacity.start();
  return {
    capacity,
    given,
    told,
    set: (next: Partial<typeof pool>) => {
      Object.assign(pool, next);
      capacity.change(POOL);
      vi.advanceTimersByTime(5);
    },
    hear: (daemonId: string, free: number) => bus.receive('capacity_changed', { daemonId, pool: POOL, free }),
    /** How many of ten offers another daemon may have a slot for. */
    offers: () => Array.from({ length: 10 }, () => capacity.offer(POOL)).filter(Boolean).length,
  };
}

describe('free slots in a cluster', () => {
  it('are as many as this daemon has slots, for each that has not said anything', () => {
    expect(daemon(['b', 'c']).offers()).toBe(4);
  });

  it('may be any number until the others are known', () => {
    expect(daemon([]).offers()).toBe(10);
  });

  it('are used up by what is offered, and are those that a daemon last spoke of', () => {
    const a = daemon();
    a.hear('b', 0);
    expect(a.offers()).toBe(0);
    a.hear('b', 3);
    expect([a.offers(), a.offers()]).toEqual([3, 0]);
  });

  it('are unknown again of a daemon that has been silent for three seconds', () => {
    const a = daemon();
    a.hear('b', 0);
    vi.advanceTimersByTime(2999);
    expect(a.offers()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(a.offers()).toBe(2);
  });

  it('are not published while no daemon waits for them', () => {
    const a = daemon();
    a.set({ free: 1 });
    vi.advanceTimersByTime(10_000);
    expect(a.told).toEqual([]);
  });

  it('are published for a daemon without any, each time that their number changes', () => {
    const a = daemon();
    a.hear('b', 0);
    a.set({ free: 1 });
    a.set({ free: 2 });
    expect(a.told).toEqual([1, 2]);
  });

  it('are published once for many changes at a time', () => {
    const a = daemon();
    for (let n = 0; n < 100; n++) a.capacity.change(POOL);
    a.set({ free: 0 });
    expect(a.told).toEqual([0]);
  });

  it('are missed by a full daemon every second, until it has some', () => {
    const a = daemon();
    a.set({ free: 0, waiting: 5 });
    vi.advanceTimersByTime(2000);
    a.set({ free: 2, waiting: 0 });
    vi.advanceTimersByTime(2000);
    expect(a.told).toEqual([0, 0, 0, 2]);
  });

  it.each([
    ['all that waits, where there is a slot for it', { waiting: 3, free: 5 }, 3],
    ['as much as there are slots for', { waiting: 9, free: 5 }, 5],
    ['an equal share of much that waits', { waiting: 90, free: 5 }, 45],
    ['a hundred at most', { waiting: 9000, free: 5 }, 100],
  ])('are given %s', (_, { waiting, free }, expected) => {
    const a = daemon();
    a.set({ free: 0, waiting });
    a.hear('b', free);
    expect(a.given).toEqual([expected]);
  });

  it('are given nothing where nothing waits', () => {
    const a = daemon();
    a.hear('b', 5);
    expect(a.given).toEqual([]);
  });

  it('are no longer published by a daemon that has stopped', () => {
    const a = daemon();
    a.capacity.stop();
    a.set({ free: 0 });
    a.hear('b', 0);
    vi.advanceTimersByTime(5000);
    expect(a.told).toEqual([]);
  });
});
