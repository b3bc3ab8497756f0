import { existsSync } from 'node:fs';
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
});
