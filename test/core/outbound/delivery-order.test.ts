import { describe, expect, it } from 'vitest';
import { heldLanes } from './held-lanes.ts';

describe('lanes', () => {
  it('give a receiver that hangs one place, and none of those of a slow one that answers', async () => {
    const { lanes, delivery, add, ids, end, timer } = heldLanes({ perLane: 8 });
    for (let n = 0; n < 80; n++) add(`hangs ${n}`, `hangs ${n}`);
    add('slow', 'slow');
    await timer.advance(0);
    await timer.advance(10_000);
    for (let n = 0; n < 80; n++) end(n, { durationMs: 10_000, hasAnswered: false });
    end(80, { durationMs: 3000 });
    await timer.settle();
    for (let n = 0; n < 80; n++)
      for (const turn of [1, 2]) lanes.add(delivery(`again ${n}.${turn}`, `hangs ${n}`));
    for (let n = 0; n < 8; n++) add(`slow ${n}`, 'slow');
    await timer.advance(0);
    const second = ids().slice(81);
    expect(second.filter((id) => id.startsWith('slow'))).toHaveLength(8);
    expect(second.filter((id) => id.startsWith('again'))).toHaveLength(64);
    expect(second.filter((id) => id.endsWith('.2'))).toEqual([]);
  });

  it('send what has the same key one after the other, and others meanwhile', async () => {
    const { lanes, delivery, ids, end, timer } = heldLanes({ perLane: 2 });
    for (const [id, orderKey] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
      ['a3', 'a'],
    ] as const)
      lanes.add({ ...delivery(id), orderKey });
    await timer.advance(0);
    expect(ids()).toEqual(['a1', 'b1']);
    end(1);
    await timer.settle();
    expect(ids()).toEqual(['a1', 'b1']);
    end(0);
    await timer.settle();
    expect(ids()).toEqual(['a1', 'b1', 'a2']);
    end(2);
    await timer.settle();
    expect(ids()).toEqual(['a1', 'b1', 'a2', 'a3']);
  });
});
