import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decayedWeight, fitness, usedWeight } from '../../../../src/core/memory/learned/weight.ts';
import { ada, ann, bob, DAY, openLearnedFixture } from './learned-fixture.ts';
import { sized } from '../../../helpers/long.ts';

const start = '2026-01-01T00:00:00.000Z';

describe('a weight', () => {
  it('halves a weight with each half-life', () => {
    const at = (days: number) => new Date(Date.parse(start) + days * DAY);
    expect(decayedWeight(1, start, at(30), 30)).toBeCloseTo(0.5, 12);
    expect(decayedWeight(2, start, at(60), 30)).toBeCloseTo(0.5, 12);
    expect(decayedWeight(1, start, at(1), 0.01)).toBeCloseTo(2 ** -100, 40);
    expect(decayedWeight(1, start, at(-30), 30)).toBe(1);
    expect(decayedWeight(1, start, at(100_000), 0.01)).toBe(0);
    expect(decayedWeight(1, start, at(1), Number.MIN_VALUE)).toBe(0);
  });

  it('raises a weight by a tenth of the remaining distance', () => {
    expect(usedWeight(1)).toBeCloseTo(1.1, 12);
    expect(usedWeight(0)).toBeCloseTo(0.2, 12);
    expect(usedWeight(2)).toBe(2);
  });

  it('uses the weight only to order similar scores', () => {
    expect(fitness(0.8, 2)).toBeGreaterThan(fitness(0.8, 1));
    expect(fitness(0.8, 1.5)).toBeGreaterThan(fitness(0.81, 1));
    expect(fitness(0.8, 1)).toBe(0.8);
    expect(fitness(0.6, 0)).toBeGreaterThan(fitness(0.5, 2));
  });
});

describe('the weights of rows', () => {
  it('starts weights at 1, raises them by use and counts uses', async () => {
    await using world = await openLearnedFixture();
    const { id, weight, useCount, lastUsedAt } = await world.record();
    expect([weight, useCount, lastUsedAt]).toEqual([1, 0, undefined]);
    world.advanceDays(1);
    const used = await world.experiences.use(ann, id);
    expect(used).toMatchObject({ useCount: 1, lastUsedAt: '2026-01-02T00:00:00.000Z' });
    expect(used.weight).toBeCloseTo(1.1, 12);
    expect(await world.experiences.get(ann, id)).toEqual(used);
  });

  it('loses no use among a thousand concurrent uses and decays', async () => {
    await using world = await openLearnedFixture();
    const { id } = await world.record();
    world.advanceDays(30);
    const uses = () => Array.from({ length: 500 }, () => world.experiences.use(ann, id));
    const before = uses();
    const decays = Array.from({ length: 20 }, () => world.experiences.decay(ann, 30));
    await Promise.all([...before, ...decays, ...uses()]);
    const { useCount, weight } = await world.experiences.get(ann, id);
    expect(useCount).toBe(1000);
    expect(weight).toBeLessThanOrEqual(2);
    expect(weight).toBeGreaterThan(1.9);
    expect((await Promise.all(decays)).reduce((sum, { decayed }) => sum + decayed, 0)).toBe(1);
  });

  it('decays once for the elapsed time, however often it is called', async () => {
    await using world = await openLearnedFixture();
    const { id } = await world.record();
    world.advanceDays(15);
    expect(await world.experiences.decay(ann, 30)).toEqual({ decayed: 1 });
    expect(await world.experiences.decay(ann, 30)).toEqual({ decayed: 0 });
    world.advanceDays(15);
    await world.experiences.decay(ann, 30);
    expect((await world.experiences.get(ann, id)).weight).toBeCloseTo(0.5, 12);
  });

  it('neither raises nor decays twice when the clock moves back and forth', async () => {
    await using world = await openLearnedFixture();
    const { id } = await world.record();
    for (const days of [30, 10, 30, -1000, 30]) {
      world.setClock(Date.parse(start) + days * DAY);
      await world.experiences.decay(ann, 30);
      expect((await world.experiences.get(ann, id)).weight).toBeCloseTo(0.5, 12);
    }
  });

  it("decays a user's own weights, and all of them for an administrator", async () => {
    await using world = await openLearnedFixture();
    const own = await world.record();
    const other = await world.record({}, bob);
    world.advanceDays(30);
    expect(await world.experiences.decay(ann, 30)).toEqual({ decayed: 1 });
    expect((await world.experiences.get(ann, own.id)).weight).toBeCloseTo(0.5, 12);
    expect((await world.experiences.get(bob, other.id)).weight).toBe(1);
    expect(await world.experiences.decay(ada, 30)).toEqual({ decayed: 1 });
    expect(await world.experiences.prune(bob, 0.4)).toEqual({ pruned: 0 });
    expect(await world.experiences.prune(bob, 0.6)).toEqual({ pruned: 1 });
    expect((await world.experiences.list(ada, { limit: 5, offset: 0 })).experiences).toMatchObject(
      [own.id].map((id) => ({ id })),
    );
    expect(await world.experiences.prune(ada, 0.6)).toEqual({ pruned: 1 });
    expect(world.index.entries.size).toBe(0);
  });

  it('decays and prunes many weights page by page', async () => {
    await using world = await openLearnedFixture();
    const row = await world.database.read.selectFrom('experiences').selectAll().execute();
    expect(row).toEqual([]);
    const { id } = await world.record();
    const model = await world.database.read
      .selectFrom('experiences')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await world.database.write(async (transaction) => {
      for (let n = 0; n < 1200; n++)
        transaction.insertLater('experiences', { ...model, id: `exp_${n}`, content_key: `key ${n}` });
    });
    world.advanceDays(30);
    expect(await world.experiences.decayAll(30, { signal: AbortSignal.abort() })).toEqual({ decayed: 0 });
    expect(await world.experiences.decayAll(30)).toEqual({ decayed: 1201 });
    expect(await world.experiences.prune(ann, 0.5)).toEqual({ pruned: 0 });
    expect(await world.experiences.prune(ann, 0.51)).toEqual({ pruned: 1201 });
  });

  it('keeps weights between 0 and 2 after any actions at any time', async () => {
    type World = Awaited<ReturnType<typeof openLearnedFixture>>;
    const clock = fc.integer({ min: Date.parse('1970-01-01'), max: Date.parse('9999-01-01') });
    const step = fc.oneof(
      fc.constant((world: World, id: string) => world.experiences.use(ann, id)),
      fc
        .double({ min: 0.01, max: 36_500, noNaN: true })
        .map((halfLife) => (world: World) => world.experiences.decay(ann, halfLife)),
      clock.map((at) => async (world: World) => world.setClock(at)),
      fc
        .double({ min: 0, max: 40_000, noNaN: true })
        .map((days) => async (world: World) => world.setClock(Math.min(world.clock() + days * DAY, 2.5e14))),
    );
    await using world = await openLearnedFixture();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 15 }),
        fc.double({ min: 0, max: 2, noNaN: true }),
        async (steps, least) => {
          world.setClock(start);
          const { id } = await world.record();
          let weight = 1;
          for (const act of steps) {
            const before = weight;
            const answer = await act(world, id);
            weight = (await world.experiences.get(ann, id)).weight;
            expect(weight).toBeGreaterThanOrEqual(0);
            expect(weight).toBeLessThanOrEqual(2);
            if (answer && 'decayed' in answer) {
              expect(weight).toBeLessThanOrEqual(before);
              expect(await world.experiences.decay(ann, 1)).toEqual({ decayed: 0 });
            } else expect(weight).toBeGreaterThanOrEqual(before);
          }
          expect(await world.experiences.prune(ann, least)).toEqual({ pruned: weight < least ? 1 : 0 });
          if (weight >= least) await world.experiences.remove(ann, id);
        },
      ),
      { numRuns: sized(25, 100) },
    );
  });
});
