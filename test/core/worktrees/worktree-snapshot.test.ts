import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { treeOfWorktree } from '../../../src/core/worktrees/worktree-snapshot.ts';
import { gitTools } from '../../helpers/git-tools.ts';
import { GitRepository } from '../../helpers/git-repository.ts';

it('sees a change that keeps the size and the time of a file that is as new as the index', async () => {
  const repository = new GitRepository({ 'a.txt': 'one\n' });
  const { root } = repository;
  const file = join(root, 'a.txt');
  const index = join(root, '.git/index');
  const time = Math.floor(statSync(index).mtimeMs / 1000) - 100;
  // The index knows the file with this time, and is as old itself.
  utimesSync(file, time, time);
  repository.git('update-index', '--refresh');
  utimesSync(index, time, time);
  writeFileSync(file, 'two\n');
  utimesSync(file, time, time);
  const tools = gitTools();
  const gitDirectory = join(root, '.git');
  const known = { gitDirectory, commonDirectory: gitDirectory, workTree: root };
  const git = await tools.require({ cwd: root, known });
  // Otherwise the time of the change itself gives it away.
  repository.git('config', 'core.trustctime', 'false');
  const { tree } = await treeOfWorktree(git, repository.git('rev-parse', 'HEAD'));
  expect(repository.git('show', `${tree}:a.txt`)).toBe('two');
});
