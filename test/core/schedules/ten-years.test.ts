import { expect, it } from 'vitest';
import { sized } from '../../helpers/long.ts';
import { naiveTimes } from './naive-cron.ts';
import { ann, openScheduleWorld } from './schedule-world.ts';

const began = '2024-01-01T00:00:00.000Z';
const YEARS = sized(1, 10);

it('a schedule runs exactly at its announced times over years', async () => {
  await using world = await openScheduleWorld(began);
  const until = new Date(Date.parse(began) + YEARS * 366 * 86_400_000);
  const expressions = [
    ['30 2 * * 0', 'Europe/Berlin'],
    ['15 2 1-7 4,10 *', 'Australia/Lord_Howe'],
    ['0 0 * 9 0', 'America/Santiago'],
    ['0 0 29 2 *', 'UTC'],
    ['0 9 1,15 * *', 'Asia/Kolkata'],
    ['*/30 1-3 25-31 3,10 0', 'America/New_York'],
  ] as const;
  const ids = new Map<string, (typeof expressions)[number]>();
  for (const each of expressions) {
    const [cron, timezone] = each;
    const { id } = await world.add({ cron, timezone, overlap: 'cancel_previous', maxFailures: 0 });
    ids.set(id, each);
  }
  /** Of each schedule, the times that were said last. */
  const said = new Map<string, string[]>();
  for (;;) {
    const next = await world.storage.database.read
      .selectFrom('schedules')
      .select(['id', 'next_run_at'])
      .orderBy('next_run_at')
      .limit(1)
      .executeTakeFirstOrThrow();
    if (new Date(next.next_run_at ?? '') > until) break;
    await world.toNext(next.id);
    const { nextRuns } = await world.schedules.get(ann, next.id);
    // What was said before came, in that order.
    expect(nextRuns.slice(0, 4)).toEqual((said.get(next.id) ?? ['', ...nextRuns]).slice(1, 5));
    said.set(next.id, nextRuns);
  }
  for (const [id, [cron, timezone]] of ids) {
    const expected = naiveTimes(cron, timezone, new Date(began), until).map((at) => at.toISOString());
    expect(await world.runsOf(id), `${cron} in ${timezone}`).toEqual(expected);
    expect(await world.find(id)).toMatchObject({
      run_count: expected.length,
      skipped_count: 0,
      misfire_count: 0,
    });
  }
}, 180_000);
