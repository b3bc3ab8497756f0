import { describe, expect, it } from 'vitest';
import { ConnectionTable, type Held } from '../../../src/daemon/connections/connection-table.ts';

class Fake implements Held {
  isOpen = true;
  stalls = false;
  readonly key: string;
  readonly max: number;
  constructor(key: string, max = 4) {
    this.key = key;
    this.max = max;
  }
  isStalled = () => this.stalls;
  close = () => void (this.isOpen = false);
}
/** Admits so many connections of an address. */
function admit(table: ConnectionTable<Fake>, count: number, key: string, max?: number): Fake[] {
  const made = Array.from({ length: count }, () => new Fake(key, max));
  expect(made.filter((held) => !table.admit(held))).toEqual([]);
  return made;
}
const openOf = (all: Fake[]) => all.map(({ isOpen }) => isOpen);

describe('the table of connections', () => {
  it('closes the longest idle connection of an address that has too many, and none of another', () => {
    const table = new ConnectionTable<Fake>(100);
    const [others, own] = [admit(table, 4, 'b'), admit(table, 4, 'a')];
    // The first was used since.
    table.markBusy(own[0] as Fake);
    table.markIdle(own[0] as Fake);
    admit(table, 1, 'a');
    expect(openOf(own)).toEqual([true, false, true, true]);
    expect(openOf(others)).toEqual([true, true, true, true]);
    expect(table.size).toBe(8);
  });

  it('takes room from the address that has most', () => {
    const table = new ConnectionTable<Fake>(10);
    const [oldest] = admit(table, 1, 'person');
    const flood = admit(table, 9, 'flood', 9);
    admit(table, 3, 'other');
    expect(oldest?.isOpen).toBe(true);
    expect(flood.filter(({ isOpen }) => !isOpen)).toEqual(flood.slice(0, 3));
  });

  it('closes a proxy last, however many connections it has', () => {
    const table = new ConnectionTable<Fake>(10);
    const proxy = admit(table, 8, 'proxy', Number.POSITIVE_INFINITY);
    const few = admit(table, 2, 'few');
    admit(table, 1, 'new');
    expect(openOf(proxy)).not.toContain(false);
    expect(openOf(few)).toEqual([false, true]);
  });

  it('never closes what works, and refuses where nothing gives way', () => {
    const table = new ConnectionTable<Fake>(4);
    const working = admit(table, 4, 'a');
    for (const held of working) table.markBusy(held);
    expect(table.admit(new Fake('b'))).toBe(false);
    expect(table.admit(new Fake('a'))).toBe(false);
    expect(openOf(working)).not.toContain(false);
    expect(table.size).toBe(4);
    table.remove(working[0] as Fake);
    expect(table.admit(new Fake('b'))).toBe(true);
  });

  it('closes what is stalled where nothing is idle', () => {
    const table = new ConnectionTable<Fake>(3);
    const all = admit(table, 3, 'a');
    for (const held of all) table.markBusy(held);
    (all[1] as Fake).stalls = true;
    admit(table, 1, 'b');
    expect(openOf(all)).toEqual([true, false, true]);
  });

  it('forgets a connection that has closed, once', () => {
    const table = new ConnectionTable<Fake>(10);
    const [held] = admit(table, 1, 'a') as [Fake];
    table.remove(held);
    table.remove(held);
    table.markIdle(held);
    expect(table.size).toBe(0);
  });

  it('does the same little work for each of many from one address', () => {
    const table = new ConnectionTable<Fake>(1024);
    const flood = admit(table, 10_000, 'a', 1024);
    expect(table.size).toBe(1024);
    expect(flood.filter(({ isOpen }) => isOpen)).toEqual(flood.slice(-1024));
  });
});
