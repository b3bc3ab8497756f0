import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { WorktreeStore } from '../../../src/core/worktrees/worktree-store.ts';
import { Worktrees } from '../../../src/core/worktrees/worktrees.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { gitTools } from '../../helpers/git-tools.ts';
import { GitRepository } from '../../helpers/git-repository.ts';
import { openStorage } from '../../helpers/storage.ts';

const env = { PATH: process.env['PATH'] };

async function world() {
  const storage = await openStorage();
  const root = temporaryFolder();
  const store = new WorktreeStore(storage.database, '');
  const worktrees = new Worktrees({
    store,
    root,
    env,
    home: '/nowhere',
    tools: gitTools(join(root, '.scratch')),
    sandbox: { check: async () => ({ isWorking: false, reason: 'none' }), wrap: async () => [] },
    installation: 'test',
    runtime: systemRuntime,
    log: silentLog,
  });
  const open = (repository: GitRepository, isTrusted = true) =>
    worktrees.open({
      task: { id: 'task_1', cwd: repository.root, worktree: true },
      adapter: {},
      isTrusted,
      signal: new AbortController().signal,
      emit: () => undefined,
    });
  return {
    store,
    open,
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

it('a worktree whose creation was interrupted is created again, and its branch keeps its commits', async () => {
  await using at = await world();
  const repository = new GitRepository();
  const { workspace } = (await at.open(repository)) ?? { workspace: '' };
  repository.git('-C', workspace, 'commit', '-q', '--allow-empty', '-m', 'Earlier work');
  rmSync(join(workspace, '.git'));
  await at.store.setState('task_1', 'creating');
  expect((await at.open(repository))?.workspace).toBe(workspace);
  expect(repository.git('-C', workspace, 'log', '-1', '--format=%s')).toBe('Earlier work');
  expect(await at.store.find('task_1')).toMatchObject({ state: 'ready' });
});

it('a setup that was interrupted runs again, one that is done does not', async () => {
  await using at = await world();
  const repository = new GitRepository({ '.svc/worktree.json': '{"setup": ["echo x >> runs"]}' });
  const { workspace } = (await at.open(repository)) ?? { workspace: '' };
  await at.open(repository);
  expect(readFileSync(join(workspace, 'runs'), 'utf8')).toBe('x\n');
  await at.store.setState('task_1', 'created');
  await at.open(repository);
  expect(readFileSync(join(workspace, 'runs'), 'utf8')).toBe('x\nx\n');
});

it('without a sandbox, commands of the repository do not run for tasks from untrusted sources', async () => {
  await using at = await world();
  const repository = new GitRepository({ '.svc/worktree.json': '{"setup": ["touch ran"]}' });
  await expect(at.open(repository, false)).rejects.toMatchObject({
    code: 'setup_failed',
    message: expect.stringContaining('untrusted source'),
  });
  const row = await at.store.find('task_1');
  expect(existsSync(join(row?.path ?? '', 'ran'))).toBe(false);
});

it('a file of the repository that is not valid is named, and leaves nothing behind', async () => {
  await using at = await world();
  const repository = new GitRepository({ '.svc/worktree.json': '{"setup": "npm ci"}' });
  await expect(at.open(repository)).rejects.toMatchObject({
    failure: 'invalid_input',
    code: 'bad_worktree_file',
    message: expect.stringMatching(/^\.svc\/worktree\.json cannot be used: setup: /),
  });
  expect(await at.store.list()).toEqual([]);
  expect(readdirSync(join(repository.root, '.git')).includes('worktrees')).toBe(false);
});
