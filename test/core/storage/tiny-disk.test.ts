import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { follow, testAdapter, until } from '../../helpers/tasks.ts';

/** A file system of a few MB of its own; undefined where this user may not mount one. */
function mountTinyDisk(): { folder: string; unmount(): void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder]);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (mounted.status === 0)
    return {
      folder,
      unmount: () => {
        spawnSync('umount', ['-l', folder]);
        remove();
      },
    };
  remove();
  return undefined;
}

describe('a disk that is truly full', () => {
  it('refuses posts with 507, reads on, and recovers when there is space', async (test) => {
    const disk = mountTinyDisk();
    if (!disk) return test.skip('only root may mount a file system');
    const ballast = join(disk.folder, 'ballast');
    const home = join(disk.folder, 'home');
    mkdirSync(home);
    try {
      await using daemon = await startDaemon({
        home,
        extraAdapters: [testAdapter(async () => ({ output: 'done' }))],
      });
      const post = () =>
        daemon.client.tasks.create({
          body: { title: 'A task', description: 'x'.repeat(20_000), assignedAgent: 'test' },
        });
      const { task: first } = await post();
      await follow(daemon.client, first.id);
      fillUp(ballast);
      await until(() => expect(post()).rejects.toMatchObject({ status: 507 }));
      expect((await daemon.client.tasks.get({ params: { id: first.id } })).task.status).toBe('completed');
      expect((await fetch(`${daemon.url}/api/health`)).status).toBe(200);
      rmSync(ballast);
      const { task: next } = await post();
      expect((await follow(daemon.client, next.id)).task.status).toBe('completed');
    } finally {
      disk.unmount();
    }
  });
});

/** Takes all the space there is. */
function fillUp(file: string): void {
  const part = Buffer.alloc(4096);
  try {
    for (;;) writeFileSync(file, part, { flag: 'a' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
