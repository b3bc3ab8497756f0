import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/daemon.ts';
import { everyNth } from '../helpers/long.ts';
import { killAndReopen, prepareStart, type Start } from './migrations/kill.ts';
import { migrationCount } from './migrations/old-database.ts';
import { numbersTo, tryKills } from './migrations/try-kills.ts';

const directory = temporaryFolder();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const versions = numbersTo(migrationCount).map((count) => count - 1);
const newest = migrationCount - 1;

/**
 * Every statement of the first migration. The later ones are killed everywhere from the versions right before them, and
 * here at some points. What comes before it is the same for all, and killed everywhere from the version 1.
 */
function pointsToTry({ version, points }: Start): number[] {
  const begin = points.indexOf('begin immediate');
  const end = points.indexOf('commit') + 2;
  const chosen = numbersTo(points.length).filter(
    (n) => (n <= end && (n > begin || version === 1)) || n % 24 === version,
  );
  return everyNth(16, chosen, version);
}

describe('a migration that is killed', () => {
  it.each(everyNth(3, versions, 1))(
    'continues at the next start to the same schema and rows, from version %i',
    { timeout: 600_000 },
    async (version) => {
      const start = await prepareStart(directory, version);
      const kills = pointsToTry(start).map((at) => ({ at }));
      const { killed, violations } = await tryKills(directory, start, kills);
      expect(violations.slice(0, 5).join('\n')).toBe('');
      expect(killed).toBe(kills.length);
    },
  );

  it('leaves no copy that is not whole, wherever the copying is killed', { timeout: 600_000 }, async () => {
    const start = await prepareStart(directory, newest);
    const kills = numbersTo(start.points.length)
      .filter((n) => start.points[n - 1]?.includes('the copy'))
      .map((at) => ({ at }));
    expect(kills.length).toBeGreaterThan(8);
    const { killed, violations } = await tryKills(directory, start, everyNth(3, kills, 2));
    expect(violations.join('\n')).toBe('');
    expect(killed).toBeGreaterThan(2);
  });

  it.each([
    ['no transactions', 0, 'create table task_events', /does not start: .* already exists/],
    ['copy in place', newest, 'during the copy', /is not whole/],
  ])('is noticed if it continues wrongly: %s', async (fault, version, point, violation) => {
    const start = await prepareStart(directory, version);
    const at = start.points.findIndex((text) => text.startsWith(point)) + 1;
    expect((await killAndReopen(directory, start, { at })).violation).toBeUndefined();
    const outcome = await killAndReopen(directory, start, { at, fault });
    expect(outcome).toMatchObject({ wasKilled: true, violation: expect.stringMatching(violation) as string });
  });
});
