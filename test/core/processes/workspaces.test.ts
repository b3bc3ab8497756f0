import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspaces } from '../../../src/core/processes/workspaces.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';

describe('the workspace of a task', () => {
  it('is there for its next attempt, which begins while that of the last one is removed', async () => {
    const workspaces = new Workspaces(temporaryFolder());
    for (let attempt = 0; attempt < 100; attempt++) {
      const directory = await workspaces.open({ id: 'task_1' });
      const closed = workspaces.close({ id: 'task_1' });
      expect(await workspaces.open({ id: 'task_1' })).toBe(directory);
      await closed;
      expect(existsSync(directory)).toBe(true);
    }
  });

  it('is there again for a task that continues it, although it was empty', async () => {
    const root = temporaryFolder();
    const workspaces = new Workspaces(root);
    const cwd = await workspaces.open({ id: 'task_1' });
    const closed = workspaces.close({ id: 'task_1' });
    expect(await workspaces.open({ id: 'task_2', cwd })).toBe(cwd);
    await closed;
    expect(existsSync(cwd)).toBe(true);
    for (const other of [join(root, '..'), join(root, 'task_1', 'task_2'), join(root, '..', 'task_1'), root])
      expect(await workspaces.idOf(other), other).toBeUndefined();
    await expect(workspaces.open({ id: 'task_2', cwd: join(root, 'other') })).rejects.toThrow('no folder');
  });
});
