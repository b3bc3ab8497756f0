import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/daemon.ts';
import { isFair, race } from './lock/race.ts';
import { startTwo } from './lock/two-daemons.ts';
import { sized } from '../helpers/long.ts';

const starts = sized(3, 20);

describe('two daemons on one data directory', () => {
  it(
    `exactly one daemon gets the data directory in each of ${starts} races`,
    { timeout: sized(120_000, 600_000) },
    async () => {
      const home = temporaryFolder();
      try {
        for (let start = 1; start <= starts; start++) {
          const result = await race(home, 3);
          expect(result, `start ${start}`).toSatisfy(isFair);
        }
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  );

  it(
    'a second daemon on a data directory exits with a message, and the first one continues',
    { timeout: sized(60_000, 180_000) },
    async () => {
      const home = temporaryFolder();
      try {
        expect(await startTwo(home)).toBeUndefined();
        expect(await startTwo(home)).toBeUndefined();
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  );
});
