import { describe, expect, it } from 'vitest';
import { type AttemptOutcome, DeliveryLanes } from '../../../src/core/outbound/delivery-lanes.ts';
import { manualTimer } from './manual-timer.ts';

/** Lanes whose attempts end when the test says. */
function heldLanes() {
  const timer = manualTimer();
  const sent: { id: string; signal: AbortSignal; end: (outcome: AttemptOutcome) => void }[] = [];
  const lanes = new DeliveryLanes({
    send: (id, signal) => new Promise((end) => sent.push({ id, signal, end })),
    now: timer.now,
    setTimer: timer.setTimer,
  });
  return {
    lanes,
    sent,
    timer,
    ids: () => sent.map(({ id }) => id),
    add: (id: string, receiver = 'a', { attempts = 0, inMs = 0 } = {}) =>
      lanes.add({
        id,
        url: `http://${receiver}.example/${id}`,
        attempts,
        dueAt: timer.now().getTime() + inMs,
      }),
    end: (index: number, outcome: AttemptOutcome = { isTrouble: false }) => sent[index]?.end(outcome),
  };
}

describe('DeliveryLanes', () => {
  it('send at once what is due, two at a time to one receiver', async () => {
    const { add, ids, end, timer } = heldLanes();
    for (const id of ['1', '2', '3', '4']) add(id);
    await timer.advance(0);
    expect(ids()).toEqual(['1', '2']);
    end(1);
    await timer.settle();
    expect(ids()).toEqual(['1', '2', '3']);
  });

  it('send to ten receivers at the same time, each in turn', async () => {
    const { add, ids, end, sent, timer } = heldLanes();
    for (let receiver = 0; receiver < 8; receiver++)
      for (const id of ['x', 'y', 'z']) add(`${receiver}${id}`, `r${receiver}`);
    await timer.advance(0);
    expect(ids()).toEqual(['0x', '1x', '2x', '3x', '4x', '5x', '6x', '7x', '0y', '1y']);
    for (let next = 0; next < 24; next++) {
      end(next);
      await timer.settle();
      expect(sent.length - next - 1).toBeLessThanOrEqual(10);
    }
    expect(new Set(ids()).size).toBe(24);
  });

  it('hold nobody up for a receiver that is slow, nor for many that failed', async () => {
    const { add, ids, timer } = heldLanes();
    for (let count = 0; count < 100; count++) add(`slow-${count}`, 'slow');
    for (let count = 0; count < 100; count++) add(`dead-${count}`, `dead-${count}`, { attempts: 1 });
    await timer.advance(0);
    expect(ids()).toHaveLength(7);
    add('prompt', 'prompt');
    await timer.advance(0);
    expect(ids()).toContain('prompt');
  });

  it('send again when it is time, and by one timer', async () => {
    const { add, ids, end, timer } = heldLanes();
    add('1');
    add('later', 'b', { inMs: 100_000, attempts: 2 });
    await timer.advance(0);
    end(0, { isTrouble: true, again: { attempts: 1, dueAt: timer.now().getTime() + 30_000 } });
    await timer.settle();
    expect(timer.waits()).toBe(30_000);
    await timer.advance(29_999);
    expect(ids()).toEqual(['1']);
    await timer.advance(1);
    expect(ids()).toEqual(['1', '1']);
    end(1);
    await timer.advance(70_000);
    expect(ids()).toEqual(['1', '1', 'later']);
    end(2);
    await timer.settle();
    expect(timer.waits()).toBeUndefined();
  });

  it('take what they have only once', async () => {
    const { add, ids, end, timer } = heldLanes();
    add('1');
    add('1');
    await timer.advance(0);
    add('1');
    end(0, { isTrouble: true, again: { attempts: 1, dueAt: timer.now().getTime() + 30_000 } });
    await timer.settle();
    add('1');
    await timer.advance(0);
    expect(ids()).toEqual(['1']);
    await timer.advance(30_000);
    end(1);
    await timer.settle();
    add('1');
    await timer.advance(0);
    expect(ids()).toEqual(['1', '1', '1']);
  });

  it('wait no longer than they would have had to when the clock is set back', async () => {
    const { add, ids, timer } = heldLanes();
    add('soon', 'a', { attempts: 1, inMs: 30_000 });
    add('late', 'b', { attempts: 5, inMs: 40_000_000 });
    await timer.advance(0);
    timer.setBy(-86_400_000);
    await timer.advance(60_000 + 33_000);
    expect(ids()).toEqual(['soon']);
    await timer.advance(47_520_000);
    expect(ids()).toEqual(['soon', 'late']);
    // The same for what was written down by a clock that went ahead.
    add('other', 'c', { attempts: 1, inMs: 86_400_000 });
    await timer.advance(33_000);
    expect(ids()).toContain('other');
  });

  it('notice within a minute that the clock was set ahead, and make no storm of it', async () => {
    const { add, sent, timer } = heldLanes();
    for (let count = 0; count < 200; count++)
      add(`${count}`, `r${count % 50}`, { attempts: 4, inMs: 7_000_000 + count });
    await timer.advance(0);
    timer.setBy(8_000_000);
    await timer.advance(60_000);
    expect(sent).toHaveLength(5);
  });

  it('break off what is under way when they stop, and send no more', async () => {
    const { add, lanes, sent, end, timer } = heldLanes();
    add('1');
    await timer.advance(0);
    let isStopped = false;
    const stopped = lanes.stop().then(() => (isStopped = true));
    expect(sent[0]?.signal.aborted).toBe(true);
    await timer.settle();
    expect(isStopped).toBe(false);
    add('2');
    end(0, { isTrouble: true, again: { attempts: 1, dueAt: 0 } });
    await stopped;
    await timer.advance(100_000);
    expect(sent).toHaveLength(1);
  });
});
