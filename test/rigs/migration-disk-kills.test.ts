import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/daemon.ts';
import { everyNth, sized } from '../helpers/long.ts';
import { canTrace } from '../helpers/strace.ts';
import { diskCallsOf, prepareStart } from './migrations/kill.ts';
import { migrationCount } from './migrations/old-database.ts';
import { numbersTo, tryKills } from './migrations/try-kills.ts';

const KILLS_PER_CALL = sized(2, 24);
const directory = temporaryFolder();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.skipIf(!canTrace)('a migration that is killed while it writes (needs strace)', () => {
  it.each(everyNth(2, [0, migrationCount >> 1], 1))(
    'continues after a kill at any access to the disk, also within a commit and the copy, from version %i',
    { timeout: 600_000 },
    async (version) => {
      const start = await prepareStart(directory, version);
      const kills = [...(await diskCallsOf(directory, start))].flatMap(([call, most]) => {
        const step = Math.ceil(most / KILLS_PER_CALL);
        return numbersTo(most)
          .filter((at) => at % step === 0)
          .map((at) => ({ call, at }));
      });
      const { killed, violations } = await tryKills(directory, start, kills);
      expect(violations.slice(0, 5).join('\n')).toBe('');
      // A thread that copies may make fewer calls than it did when they were counted.
      expect(killed).toBeGreaterThan(kills.length / 2);
    },
  );
});
