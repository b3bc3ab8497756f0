import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { GitRepository } from '../../helpers/git-repository.ts';
import { follow } from '../../helpers/tasks.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

it('finds worktrees without a task and tasks without their worktree, and removes those without changes', async () => {
  const repository = new GitRepository();
  const { client, app } = daemon;
  const run = async (prompt: string) => {
    const { task } = await client.tasks.create({
      body: { title: 'Work', assignedAgent: 'command', prompt, cwd: repository.root, worktree: true },
    });
    await follow(client, task.id);
    return {
      id: task.id,
      path: (await client.tasks.getChanges({ params: { id: task.id } })).worktree?.path ?? '',
    };
  };
  expect(await app.worktreeOrphans.list()).toEqual([]);
  const gone = await run('true');
  rmSync(gone.path, { recursive: true });
  const goneWithCommit = await run(
    'echo x > b.txt; git add .; git -c user.name=a -c user.email=a@b commit -qm b',
  );
  rmSync(goneWithCommit.path, { recursive: true });
  await run('echo a worktree with its task > b.txt');
  const directory = join(daemon.home, 'worktrees', repository.root.split('/').at(-1) ?? '');
  const unknown = (name: string) => {
    const path = join(directory, `task_${name}`);
    repository.git('worktree', 'add', '-q', '-b', `svc/task_${name}`, path);
    return { kind: 'directory', taskId: `task_${name}`, path };
  };
  const clean = { ...unknown('clean'), isClean: true };
  const dirty = { ...unknown('dirty'), isClean: false };
  writeFileSync(join(dirty.path, 'new.txt'), 'work\n');
  const foreign = { kind: 'directory', taskId: 'task_x', path: join(directory, 'task_x'), isClean: false };
  mkdirSync(foreign.path);
  writeFileSync(join(foreign.path, '.git'), `gitdir: ${join(repository.root, '.git')}\n`);
  mkdirSync(join(directory, 'of-a-person'));
  const row = { kind: 'row', taskId: gone.id, path: gone.path, isClean: true };
  const rowWithCommit = {
    kind: 'row',
    taskId: goneWithCommit.id,
    path: goneWithCommit.path,
    isClean: false,
  };
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  const { orphans } = await client.data.getWorktreeOrphans();
  expect(orphans.toSorted(byPath)).toEqual([clean, dirty, foreign, row, rowWithCommit].toSorted(byPath));
  const { removed, kept } = await client.data.removeWorktreeOrphans();
  expect(removed.toSorted(byPath)).toEqual([row, clean].toSorted(byPath));
  expect(kept.toSorted(byPath)).toEqual([rowWithCommit, dirty, foreign].toSorted(byPath));
  expect([clean, dirty, foreign].map(({ path }) => existsSync(path))).toEqual([false, true, true]);
  expect(repository.git('branch', '--list', 'svc/task_clean')).toBe('');
  expect(repository.git('branch', '--list', `svc/${goneWithCommit.id}`)).not.toBe('');
  expect(existsSync(join(directory, 'of-a-person'))).toBe(true);
});
