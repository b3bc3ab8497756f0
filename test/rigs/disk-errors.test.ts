import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/daemon.ts';
import { isLong, sized } from '../helpers/long.ts';
import { canTrace } from '../helpers/strace.ts';
import { Random } from './crash/random.ts';
import type { DiskFault } from './disk-errors/disk-fault.ts';
import { type Finding, tryFault } from './disk-errors/try-fault.ts';

/** What fails, whether only a few calls do, and whether the daemon is killed before the disk works again. */
const kinds: readonly [Pick<DiskFault, 'call' | 'error'>, isShort: boolean, isKilled: boolean][] = [
  [{ call: 'pwrite64', error: 'ENOSPC' }, false, false],
  [{ call: 'pread64', error: 'EIO' }, false, false],
  [{ call: 'fsync', error: 'EIO' }, false, true],
  [{ call: 'fsync', error: 'EIO' }, true, false],
  [{ call: 'pwrite64', error: 'EIO' }, false, true],
  [{ call: 'pwrite64', error: 'EIO' }, true, false],
];
const random = new Random(20_263);
const faults = Array.from({ length: sized(1, 12) }, (_, seed) => {
  const [kind, isShort, isKilled] = kinds[seed % kinds.length] ?? kinds[0]!;
  const calls = random.between(1, 4);
  const fault: DiskFault = { ...kind, at: random.between(1, 40), ...(isShort && { calls }) };
  const title = `${fault.call} ${fault.error} from call ${fault.at}${isShort ? ` for ${calls} calls` : ''}`;
  return { title: `${title}, then ${isKilled ? 'a kill' : 'a working disk'}`, fault, isKilled };
});

async function find(fault: DiskFault, options: Parameters<typeof tryFault>[2]): Promise<Finding> {
  const home = temporaryFolder();
  try {
    return await tryFault(home, fault, options);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

describe.skipIf(!canTrace)('a disk with errors (needs strace)', () => {
  it.each(faults)(
    'loses nothing that was acknowledged, and says what is wrong: $title',
    { timeout: sized(120_000, 300_000) },
    async ({ fault, isKilled }) => {
      const { violations, failures, refused } = await find(fault, { isKilled });
      expect(violations.slice(0, 10).join('\n')).toBe('');
      expect(failures).toBeGreaterThan(0);
      if (fault.calls === undefined) expect(refused).toBeGreaterThan(0);
    },
  );

  it.runIf(isLong)('is noticed if answers are sent before the commit', { timeout: 300_000 }, async () => {
    const fault: DiskFault = { call: 'fsync', error: 'EIO', at: 1 };
    const { violations } = await find(fault, { isKilled: true, planted: 'answer-before-commit' });
    expect(violations.join('\n')).toMatch(/lost: task_/);
  });
});
