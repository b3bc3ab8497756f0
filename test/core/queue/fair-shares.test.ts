import { describe, expect, it } from 'vitest';
import { limitsOf, virtualWorkers } from './virtual-workers.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HANGS = Number.POSITIVE_INFINITY;

/** How many of the deliveries are of each owner; ids begin with the owner's letter. */
const sharesOf = (ids: { id: string }[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(ids, ({ id }) => id.slice(0, 1))).map(([owner, own]) => [
      owner,
      own?.length,
    ]),
  );

describe('a queue that several users share', () => {
  it("starts user B's five tasks at once although 60,000 of user A wait, in a logarithm of the steps", async () => {
    const world = await virtualWorkers(limitsOf(10), () => SECOND);
    for (let n = 0; n < 60_000; n++) await world.queue.enqueue(`a${n}`, { owner: 'a' });
    await world.start();
    await world.advance(10 * SECOND);
    for (let n = 0; n < 5; n++) await world.queue.enqueue(`b${n}`, { owner: 'b' });
    await world.advance(3 * SECOND);
    const ofB = world.delivered.filter(({ id }) => id.startsWith('b'));
    expect(ofB).toHaveLength(5);
    expect(ofB.at(-1)?.at).toBeLessThanOrEqual(11 * SECOND);
    expect(world.steps() / world.delivered.length).toBeLessThan(20);
  });

  it('takes a logarithm of the steps with 2,000 users and 60,000 tasks', async () => {
    const world = await virtualWorkers(limitsOf(10), () => SECOND);
    for (let n = 0; n < 60_000; n++) await world.queue.enqueue(`u${n}`, { owner: `user ${n % 2000}` });
    const filling = world.steps();
    await world.start();
    await world.advance(200 * SECOND);
    expect(world.delivered.length).toBeGreaterThan(1900);
    // Two lifts and two placements of a logarithm of 2,000 each, and twice that where the owner's standing changes.
    expect((world.steps() - filling) / world.delivered.length).toBeLessThan(8 * Math.log2(2000));
    expect(
      new Set(world.delivered.slice(0, 2000).map(({ id }) => Number(id.slice(1)) % 2000)).size,
    ).toBeGreaterThan(1900);
  });

  it('shares by weight, and gives back nothing that was saved up', async () => {
    const weight = (owner: string) => (owner === 'b' ? 3 : 1);
    const world = await virtualWorkers(limitsOf(1, { weight }), () => SECOND);
    for (let n = 0; n < 500; n++) await world.queue.enqueue(`a${n}`, { owner: 'a' });
    await world.start();
    await world.advance(100 * SECOND);
    for (let n = 0; n < 500; n++) await world.queue.enqueue(`b${n}`, { owner: 'b' });
    const before = world.delivered.length;
    await world.advance(100 * SECOND);
    const shares = sharesOf(world.delivered.slice(before));
    expect(shares['b']).toBeGreaterThanOrEqual(73);
    expect(shares['b']).toBeLessThanOrEqual(77);
  });

  it('gives an owner who always comes back no more than the others', async () => {
    const world = await virtualWorkers(limitsOf(1), () => SECOND);
    for (let n = 0; n < 500; n++) await world.queue.enqueue(`a${n}`, { owner: 'a' });
    await world.start();
    for (let n = 0; n < 100; n++) {
      await world.queue.enqueue(`b${n}`, { owner: 'b' });
      await world.advance(SECOND);
    }
    expect(sharesOf(world.delivered)['b']).toBeLessThanOrEqual(51);
    expect(sharesOf(world.delivered)['b']).toBeGreaterThanOrEqual(48);
  });

  it('keeps first in, first out for one owner', async () => {
    const world = await virtualWorkers(limitsOf(2), () => SECOND);
    for (let n = 0; n < 50; n++)
      for (const owner of ['a', 'b']) await world.queue.enqueue(`${owner}${n}`, { owner });
    await world.start();
    await world.advance(MINUTE);
    const ofA = world.delivered.filter(({ id }) => id.startsWith('a')).map(({ id }) => Number(id.slice(1)));
    expect(ofA).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('keeps the last slots for owners of whom nothing runs', async () => {
    const world = await virtualWorkers(limitsOf(10, { reserved: () => 2 }), () => HANGS);
    for (let n = 0; n < 20; n++) await world.queue.enqueue(`a${n}`, { owner: 'a' });
    await world.start();
    for (const owner of ['b', 'c', 'd'])
      for (let n = 0; n < 2; n++) await world.queue.enqueue(`${owner}${n}`, { owner });
    expect(sharesOf(world.delivered)).toEqual({ a: 8, b: 1, c: 1 });
  });

  it.each([
    ['user', { perOwner: () => 3 }, 3],
    ['user and agent', { perOwnerAndAgent: () => 2 }, 4],
  ])('never runs more than its limit per %s', async (_, rule, expected) => {
    const world = await virtualWorkers(limitsOf(10, rule), () => SECOND);
    for (let n = 0; n < 40; n++) await world.queue.enqueue(`a${n}`, { owner: 'a', agent: n % 2 ? 'x' : 'y' });
    await world.start();
    expect(world.running()).toHaveLength(expected);
    await world.queue.enqueue('b', { owner: 'b', agent: 'x' });
    expect(world.running()).toContain('b');
    await world.advance(5 * SECOND + 1);
    expect(world.running()).toHaveLength(expected);
    await world.advance(MINUTE);
    expect(world.delivered).toHaveLength(41);
  });
});

describe('the lanes of a queue', () => {
  it('start an agentic message beside ten hung tasks', async () => {
    const world = await virtualWorkers(limitsOf(10), () => HANGS);
    for (let n = 0; n < 30; n++) await world.queue.enqueue(`task ${n}`, { owner: 'a', priority: 1 });
    await world.start();
    await world.queue.enqueue('message', { owner: 'a', priority: 4, lane: 'interactive' });
    expect(world.running()).toHaveLength(11);
    expect(world.delivered.at(-1)).toEqual({ id: 'message', at: 0 });
  });

  it('share interactive slots between users too', async () => {
    const world = await virtualWorkers(limitsOf(2), () => SECOND);
    for (let n = 0; n < 50; n++) await world.queue.enqueue(`a${n}`, { owner: 'a', lane: 'interactive' });
    await world.start();
    await world.queue.enqueue('b', { owner: 'b', lane: 'interactive' });
    await world.advance(SECOND);
    expect(world.running()).toContain('b');
  });
});

describe('priorities', () => {
  it('are strict while nothing waits long', async () => {
    const world = await virtualWorkers(limitsOf(1), () => 10);
    for (let n = 0; n < 100; n++) await world.queue.enqueue(`${4 - (n % 4)}.${n}`, { priority: 4 - (n % 4) });
    await world.start();
    await world.advance(2 * SECOND);
    const seen = world.delivered.map(({ id }) => Number(id.slice(0, 1)));
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('starve no one: the lowest gets a turn under endless urgent work', async () => {
    const world = await virtualWorkers(limitsOf(1), () => SECOND);
    for (let n = 0; n < 5; n++) await world.queue.enqueue(`low ${n}`, { priority: 4, owner: 'b' });
    await world.queue.enqueue('urgent', { priority: 1 });
    await world.start();
    for (let n = 0; n < 1000; n++) {
      await world.queue.enqueue(`urgent ${n}`, { priority: 1 });
      await world.advance(SECOND);
    }
    const low = world.delivered.filter(({ id }) => id.startsWith('low'));
    expect(low).toHaveLength(5);
    expect(low[0]?.at).toBeLessThanOrEqual(2 * MINUTE);
  });

  it('lets urgent work of one user pass the old work of another', async () => {
    const world = await virtualWorkers(limitsOf(2), () => SECOND);
    for (let n = 0; n < 2000; n++) await world.queue.enqueue(`a${n}`, { owner: 'a', priority: 3 });
    await world.start();
    await world.advance(5 * MINUTE);
    await world.queue.enqueue('b', { owner: 'b', priority: 1 });
    await world.advance(SECOND);
    expect(world.delivered.find(({ id }) => id === 'b')?.at).toBeLessThanOrEqual(5 * MINUTE + SECOND);
  });
});
