import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/core/delivery.ts';
import type { AttemptOutcome } from '../../../src/core/outbound/delivery-lanes.ts';
import { heldLanes, prompt } from './held-lanes.ts';

const stopped = new Error('It stops');
const slow: AttemptOutcome = { durationMs: 10_000 };

const names = (count: number, prefix = 'r') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`);

describe('DeliveryLanes', () => {
  it('sends due deliveries at once, limited per receiver by its lane', async () => {
    const { add, ids, end, timer } = heldLanes({ perLane: 2 });
    for (const id of ['1', '2', '3', '4']) add(id);
    await timer.advance(0);
    expect(ids()).toEqual(['1', '2']);
    end(1);
    await timer.settle();
    expect(ids()).toEqual(['1', '2', '3']);
  });

  it('sends to one receiver in the order of the times, and a failed delivery does not delay the next', async () => {
    const { add, ids, end, again, timer } = heldLanes({ perLane: 1 });
    for (const id of ['1', '2', '3']) add(id);
    await timer.advance(0);
    end(0, again(1, 30_000));
    await timer.settle();
    expect(ids()).toEqual(['1', '2']);
    end(1);
    await timer.settle();
    end(2);
    await timer.advance(30_000);
    expect(ids()).toEqual(['1', '2', '3', '1']);
  });

  it('sends to 256 receivers at the same time, each in turn', async () => {
    const { add, ids, end, timer } = heldLanes({ perLane: 2 });
    const receivers = names(200);
    for (const receiver of receivers) for (const id of ['x', 'y', 'z']) add(`${receiver}${id}`, receiver);
    await timer.advance(0);
    expect(ids()).toEqual([
      ...receivers.map((receiver) => `${receiver}x`),
      ...receivers.slice(0, 56).map((receiver) => `${receiver}y`),
    ]);
    for (let next = 0; next < 600; next++) {
      end(next);
      await timer.settle();
    }
    expect(new Set(ids()).size).toBe(600);
  });

  it('sends to 100 live receivers while 100 others never answer, even the first time', async () => {
    const { add, ids, sent, timer } = heldLanes({ perLane: 1 });
    for (let index = 0; index < 100; index++) {
      add(`dead${index}`, `dead${index}`);
      add(`live${index}`, `live${index}`);
    }
    await timer.advance(0);
    expect(ids()).toHaveLength(200);
    for (const { id, end } of sent) if (id.startsWith('live')) end(prompt);
    await timer.settle();
    for (let index = 0; index < 100; index++) add(`again${index}`, `live${index}`);
    await timer.advance(0);
    expect(ids().filter((id) => id.startsWith('again'))).toHaveLength(100);
  });

  it('thousands of receivers that never answer lose their slots after a second, and their number is bounded', async () => {
    const { add, ids, end, sent, timer } = heldLanes({ perLane: 1 });
    add('first', 'known');
    await timer.advance(0);
    end(0);
    await timer.settle();
    for (const dead of names(2000, 'dead')) add(dead, dead);
    add('untried', 'untried');
    await timer.advance(0);
    expect(sent).toHaveLength(1 + 256);
    await timer.advance(999);
    expect(sent).toHaveLength(1 + 256);
    await timer.advance(1);
    expect(sent).toHaveLength(1 + 512);
    await timer.advance(8000);
    expect(sent).toHaveLength(1 + 1280);
    // Who was prompt before is not concerned.
    add('second', 'known');
    await timer.advance(0);
    expect(ids()).toContain('second');
    end(1281);
    for (const { end: endOf } of sent.slice(1, 1000)) endOf(slow);
    await timer.advance(3000);
    expect(ids()).toContain('untried');
    expect(sent).toHaveLength(2 + 2001);
  });

  it('remembers a slow receiver, even after an idle time, and keeps slots for the others', async () => {
    const { add, ids, end, sent, timer } = heldLanes({ perLane: 1 });
    for (const dead of names(200, 'dead')) add(`first ${dead}`, dead);
    await timer.advance(0);
    for (let index = 0; index < 200; index++) end(index, slow);
    await timer.settle();
    for (const dead of names(200, 'dead')) add(`second ${dead}`, dead);
    await timer.advance(0);
    expect(sent).toHaveLength(264);
    for (const live of names(256, 'live')) add(live, live);
    await timer.advance(0);
    expect(ids().filter((id) => id.startsWith('live'))).toHaveLength(256);
    end(200, slow);
    end(201, prompt);
    await timer.settle();
    const before = sent.length;
    add('still slow', 'dead0000');
    add('prompt now', 'dead0001');
    await timer.advance(0);
    expect(ids().slice(before)).toEqual(['prompt now']);
  });

  it('treats a receiver with failed attempts as slow until it answers quickly', async () => {
    const { add, sent, timer } = heldLanes();
    for (const dead of names(100, 'dead')) add(dead, dead, { attempts: 1 });
    await timer.advance(0);
    expect(sent).toHaveLength(64);
  });

  it('sends again when it is due, with one timer', async () => {
    const { add, ids, end, again, timer } = heldLanes();
    add('1');
    add('later', 'b', { inMs: 100_000, attempts: 2 });
    await timer.advance(0);
    end(0, again(1, 30_000));
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

  it('queues a delivery only once', async () => {
    const { add, ids, end, again, timer } = heldLanes();
    add('1');
    add('1');
    await timer.advance(0);
    add('1');
    end(0, again(1, 30_000));
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

  it('does not prolong a wait when the clock is set back', async () => {
    const { add, ids, lanes, delivery, timer } = heldLanes();
    add('soon', 'a', { attempts: 1, inMs: 30_000 });
    add('late', 'b', { attempts: 5, inMs: 40_000_000 });
    // The receiver asked for more than the schedule has.
    lanes.add({ ...delivery('asked', 'd', { attempts: 1, inMs: 200_000 }), waitMs: 200_000 });
    await timer.advance(0);
    timer.setBy(-86_400_000);
    await timer.advance(60_000 + 33_000);
    expect(ids()).toEqual(['soon']);
    await timer.advance(136_999);
    expect(ids()).toEqual(['soon']);
    await timer.advance(1);
    expect(ids()).toEqual(['soon', 'asked']);
    await timer.advance(47_520_000);
    expect(ids()).toEqual(['soon', 'asked', 'late']);
    // The same for what was written down by a clock that went ahead.
    add('other', 'c', { attempts: 1, inMs: 86_400_000 });
    await timer.advance(33_000);
    expect(ids()).toContain('other');
  });

  it('notices within a minute that the clock was set ahead, and sends no burst', async () => {
    const { add, sent, timer } = heldLanes();
    for (let count = 0; count < 2000; count++)
      add(`${count}`, `r${count % 500}`, { attempts: 4, inMs: 7_000_000 + count });
    await timer.advance(0);
    timer.setBy(8_000_000);
    await timer.advance(60_000);
    expect(sent).toHaveLength(64);
  });

  it('aborts running attempts when the lanes stop, and sends no more', async () => {
    const { add, lanes, delivery, sent, end, again, timer } = heldLanes();
    add('1');
    await timer.advance(0);
    let isStopped = false;
    const stop = lanes.stop(stopped).then(() => (isStopped = true));
    expect(sent[0]?.signal.reason).toBe(stopped);
    await timer.settle();
    expect(isStopped).toBe(false);
    add('2');
    end(0, again(1, 0));
    await stop;
    await timer.advance(100_000);
    expect(sent).toHaveLength(1);
    await expect(lanes.sendNow(delivery('3'))).rejects.toBe(stopped);
  });
});

describe('an attempt by hand', () => {
  it('makes a manual attempt at once, even during others, and resolves when it finishes', async () => {
    const { lanes, delivery, add, sent, ids, end, timer } = heldLanes({ perLane: 1 });
    add('1');
    add('2', 'a', { inMs: 30_000, attempts: 1 });
    await timer.advance(0);
    let outcome: AttemptOutcome | undefined;
    const done = lanes.sendNow(delivery('2')).then((came) => (outcome = came));
    await timer.settle();
    expect(ids()).toEqual(['1', '2']);
    expect(sent.map(({ isManual }) => isManual)).toEqual([false, true]);
    expect(outcome).toBeUndefined();
    end(1);
    await done;
    expect(outcome).toBe(prompt);
    end(0);
    await timer.advance(60_000);
    expect(ids()).toEqual(['1', '2']);
  });

  it('a manual attempt joins a running one, unless that one is not made', async () => {
    const { lanes, delivery, add, ids, end, timer } = heldLanes({ perLane: 1 });
    add('1');
    await timer.advance(0);
    const first = lanes.sendNow(delivery('1'));
    end(0);
    expect(await first).toBe(prompt);
    expect(ids()).toEqual(['1']);
    add('2');
    await timer.advance(0);
    const second = lanes.sendNow(delivery('2'));
    end(1, { isHeld: true });
    await timer.settle();
    expect(ids()).toEqual(['1', '2', '2']);
    end(2);
    expect(await second).toBe(prompt);
  });
});

describe('lanes with stored deliveries', () => {
  /** Rows as a database has them: what was sent is gone from there. */
  function rowsOf(count: number) {
    const rows = new Map<string, Delivery>();
    const reads: number[] = [];
    const read = async (_: string, limit: number) => {
      const page = [...rows.values()].toSorted((a, b) => a.dueAt - b.dueAt).slice(0, limit);
      reads.push(page.length);
      return page;
    };
    const lanes = heldLanes({ perLane: 1, read });
    const addRow = (id: string, of?: { attempts: number; inMs: number }) => {
      const delivery = lanes.delivery(id, 'a', of);
      rows.set(id, delivery);
      return delivery;
    };
    for (const id of names(count, '')) addRow(id);
    /** Lets so many attempts succeed. */
    const deliver = async (from: number, to: number) => {
      for (let index = from; index < to; index++) {
        rows.delete(lanes.sent[index]?.id ?? '');
        lanes.end(index);
        await lanes.timer.advance(1);
      }
    };
    return { ...lanes, rows, reads, addRow, deliver };
  }

  it('sends all stored deliveries in order, and holds only a part in memory', async () => {
    const { lanes, reads, ids, deliver, addRow, timer } = rowsOf(1000);
    lanes.reload('a');
    await timer.advance(1);
    expect(reads).toEqual([200]);
    // New ones come while others are yet to be read.
    for (const id of names(50, 'new')) lanes.add(addRow(id));
    await deliver(0, 1050);
    expect(ids()).toEqual([...names(1000, ''), ...names(50, 'new')]);
    expect(reads.length).toBeLessThan(12);
  });

  it('sends stored deliveries first, even when another arrives before they are read', async () => {
    const { lanes, ids, deliver, addRow, reads, timer } = rowsOf(2);
    lanes.add(addRow('new'));
    await timer.advance(1);
    await deliver(0, 3);
    expect(ids()).toEqual(['0000', '0001', 'new']);
    lanes.complete();
    lanes.add(addRow('next'));
    await timer.advance(1);
    expect(ids()).toContain('next');
    expect(reads).toEqual([3]);
  });

  it('a due delivery overtakes a full lane of waiting ones', async () => {
    const { lanes, ids, deliver, addRow, reads, timer } = rowsOf(0);
    lanes.complete();
    for (const id of names(300, 'later')) lanes.add(addRow(id, { attempts: 5, inMs: 40_000_000 }));
    lanes.add(addRow('now'));
    await timer.advance(0);
    expect(ids()).toEqual(['now']);
    await deliver(0, 1);
    await timer.advance(40_000_000);
    await deliver(1, 301);
    expect(ids()).toEqual(['now', ...names(300, 'later')]);
    // A part of them was held.
    expect(reads).toHaveLength(1);
  });

  it('sends new deliveries after the stored ones that are still unread', async () => {
    const { lanes, ids, deliver, addRow, timer } = rowsOf(300);
    lanes.reload('a');
    lanes.add(addRow('new'));
    await timer.advance(1);
    await deliver(0, 301);
    expect(ids()).toEqual([...names(300, ''), 'new']);
  });

  it('holds no deliveries of a paused receiver until they are read again', async () => {
    const { lanes, ids, end, deliver, reads, timer } = rowsOf(30);
    lanes.reload('a');
    await timer.advance(1);
    end(0, { isHeld: true });
    await timer.advance(1);
    expect(ids()).toEqual(['0000']);
    expect(reads).toHaveLength(1);
    lanes.loadIfEmpty('a');
    await timer.advance(1);
    await deliver(1, 31);
    expect(ids()).toEqual(['0000', ...names(30, '')]);
    expect(timer.waits()).toBeUndefined();
  });

  it('reads again what changed during a read, and what could not be read', async () => {
    let turn = 0;
    const pages: ((page: Delivery[] | undefined) => void)[] = [];
    const { lanes, delivery, ids, timer } = heldLanes({
      perLane: 1,
      read: () => new Promise((resolve) => (pages[turn++] = resolve)),
    });
    lanes.loadIfEmpty('a');
    lanes.reload('a');
    pages[0]?.([delivery('old')]);
    await timer.advance(1);
    expect(ids()).toEqual([]);
    pages[1]?.(undefined);
    await timer.advance(1);
    expect(pages).toHaveLength(2);
    lanes.loadIfEmpty('a');
    lanes.add(delivery('newer'));
    await timer.advance(1);
    expect(ids()).toEqual([]);
    pages[2]?.([delivery('new', 'a', { inMs: -10 })]);
    await timer.advance(1);
    expect(ids()).toEqual(['new']);
  });

  it('ignores the result of an attempt that was held before the receiver was resumed', async () => {
    const { lanes, ids, end, deliver, addRow, timer } = rowsOf(0);
    lanes.add(addRow('1'));
    lanes.add(addRow('2'));
    await timer.advance(0);
    lanes.reload('a');
    await timer.settle();
    end(0, { isHeld: true });
    await timer.advance(1);
    await deliver(1, 3);
    expect(ids()).toEqual(['1', '1', '2']);
  });
});
