import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreateTask } from '../../../src/contract/task.ts';
import { WorktreeStore } from '../../../src/core/worktrees/worktree-store.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { GitRepository } from '../../helpers/git-repository.ts';
import { openStorage } from '../../helpers/storage.ts';
import { follow, testAdapter, until } from '../../helpers/tasks.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  const editing = testAdapter(async (run) => ({ output: await run.workspace() }), { worksInWorktree: true });
  daemon = await startDaemon({ extraAdapters: [editing] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function run(body: Partial<CreateTask>) {
  const { task } = await daemon.client.tasks.create({
    body: { title: 'Work', assignedAgent: 'test', ...body },
  });
  return (await follow(daemon.client, task.id)).task;
}

it('an agent that edits code gets a worktree in a repository, unless the task refuses it', async () => {
  const repository = new GitRepository();
  const cwd = repository.root;
  const task = await run({ cwd });
  expect(task.result).toMatchObject({
    output: expect.stringMatching(`${daemon.home}/worktrees/.*/${task.id}$`),
    changes: { branch: `svc/${task.id}`, files: 0 },
  });
  expect((await run({ cwd, worktree: false })).result?.output).toBe(cwd);
  const plain = temporaryFolder();
  expect((await run({ cwd: plain })).result?.output).toBe(plain);
});

it('nobody means the repository of the home directory unless it is asked for', async () => {
  const repository = new GitRepository();
  const home = join(repository.root, 'home');
  mkdirSync(home);
  const editing = testAdapter(async (agentRun) => ({ output: await agentRun.workspace() }), {
    worksInWorktree: true,
  });
  await using other = await startDaemon({ extraAdapters: [editing], env: { HOME: home } });
  const at = async (worktree?: boolean) => {
    const body = { title: 'Work', assignedAgent: 'test', cwd: home, ...(worktree && { worktree }) };
    const { task } = await other.client.tasks.create({ body });
    return (await follow(other.client, task.id)).task.result?.output;
  };
  expect(await at()).toBe(home);
  expect(await at(true)).toMatch(/worktrees\/.*\/home$/);
});

it('removes the worktrees of finished tasks that changed nothing, and the snapshots of deleted tasks', async () => {
  const repository = new GitRepository();
  const task = await run({ cwd: repository.root });
  const path = task.result?.output ?? '';
  expect(existsSync(path)).toBe(true);
  await daemon.app.worktrees.tidy();
  expect(existsSync(path)).toBe(false);
  expect(repository.git('for-each-ref', '--format=%(refname)')).toBe(
    `refs/heads/main\nrefs/svc/snapshots/${task.id}`,
  );
  await daemon.client.tasks.delete({ params: { id: task.id } });
  await until(async () => {
    await daemon.app.worktrees.tidy();
    expect(repository.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });
});

it('fifty worktrees are the most, each with ports of its own', async () => {
  await using storage = await openStorage();
  const store = new WorktreeStore(storage.database, '');
  const row = (n: number) => ({
    task_id: `task_${n}`,
    repository: '/r/.git',
    checkout: '/r',
    path: `/w/${n}`,
    subdirectory: '',
    branch: `svc/task_${n}`,
    base: 'b',
    created_at: '2026-01-01T00:00:00.000Z',
  });
  const reserved = [];
  for (let n = 0; n < 50; n++) reserved.push(await store.reserve(row(n), true));
  expect(new Set(reserved.map(({ port_base }) => port_base)).size).toBe(50);
  await expect(store.reserve(row(50), true)).rejects.toMatchObject({
    failure: 'invalid_input',
    code: 'too_many_worktrees',
    message: expect.stringContaining('svc tasks discard'),
  });
  await store.setState('task_7', 'discarded');
  expect(await store.reserve(row(50), true)).toMatchObject({ port_base: reserved[7]?.port_base });
});
