/** `npm run rig:lock -- --starts N`: races for one data folder, every fiftieth with whole daemons. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isFair, race } from './race.ts';
import { startTwo } from './two-daemons.ts';

const { values } = parseArgs({ options: { starts: { type: 'string', default: '1000' } } });
const starts = Number(values.starts);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const began = performance.now();
let failed = 0;

/** A folder for so many races: the first start makes the database, the others find it. */
const RACES_PER_FOLDER = 25;
for (let start = 0; start < starts;) {
  const home = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  try {
    for (let races = 0; races < RACES_PER_FOLDER && start < starts; races++) {
      start++;
      const isWhole = start % 50 === 0;
      const result = isWhole ? await startTwo(home) : await race(home, 2);
      if (typeof result === 'object' ? isFair(result) : result === undefined) continue;
      failed++;
      say(`VIOLATION in start ${start}: ${JSON.stringify(result)}`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  say(`${start} starts, ${failed} violations`);
}
const seconds = Math.round((performance.now() - began) / 1000);
say(`${starts - failed} passed, ${failed} failed in ${seconds} s`);
if (failed > 0) process.exitCode = 1;
