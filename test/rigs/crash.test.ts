import { describe, expect, it } from 'vitest';
import { catchFault, runCycles } from './crash/runs.ts';
import { isLong, sized } from '../helpers/long.ts';

const isLinux = process.platform === 'linux';
const cycles = sized(2, 40);
/** Detection takes the rig several rounds. */
const faults = isLong
  ? [
      'no-fence',
      'no-recovery',
      'no-intent',
      'answer-before-commit',
      'approval-not-used-up',
      'resume-lost',
      'outbox-apart',
    ]
  : [];
const LIMIT_MS = 1_200_000;

describe.runIf(isLinux)('a daemon that is killed repeatedly', () => {
  it(`a daemon keeps every promise over ${cycles} crashes`, { timeout: LIMIT_MS }, async () => {
    const complaints: string[] = [];
    const say = (line: string) => void (line.startsWith('VIOLATION') && complaints.push(line));
    const report = await runCycles({ cycles, seed: 20_261, say });
    expect(complaints).toEqual([]);
    expect(report).toMatchObject({ passed: cycles, failed: 0 });
    expect(report.acknowledged).toBeGreaterThan(cycles * 5);
    expect(report.toolRuns).toBeGreaterThan(0);
    expect(report.told).toBeGreaterThan(cycles);
    expect(report.issues).toBeGreaterThan(0);
  });

  it.each(faults)('the crash rig detects the planted fault %s', { timeout: LIMIT_MS }, async (fault) => {
    const { violation } = await catchFault(fault, 20_262);
    expect(violation?.what).toBeTruthy();
  });
});
