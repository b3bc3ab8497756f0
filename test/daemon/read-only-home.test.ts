import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDaemon } from '../helpers/daemon.ts';
import { isPro } from '../helpers/pro.ts';

/** A file system that can be made read-only; undefined where this user may not mount one. */
function mountDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  const remount = (options: string) => spawnSync('mount', ['-o', `remount,${options}`, folder]).status === 0;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', folder]).status !== 0) {
    remove();
    return undefined;
  }
  const unmount = () => {
    spawnSync('umount', ['-l', folder]);
    remove();
  };
  return { folder, remount, unmount };
}

it.each([
  // A daemon of a cluster finds at least its seed there.
  ...(isPro ? [] : [['that never was used', false] as const]),
  ['of an earlier daemon', true] as const,
])('a read-only home %s says what to do', async (_, isUsed) => {
  const disk = mountDisk();
  if (!disk) return;
  const home = join(disk.folder, 'home');
  try {
    if (isUsed) {
      mkdirSync(home);
      const daemon = await startDaemon({ home });
      await daemon.stop();
    }
    expect(disk.remount('ro')).toBe(true);
    await expect(startDaemon({ home })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(
        /^svc cannot write to \S+: .*read-only.* Make it writable, .*SVC_HOME=/,
      ) as string,
    });
  } finally {
    disk.unmount();
  }
});
