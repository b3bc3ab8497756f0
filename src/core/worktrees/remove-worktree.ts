import { rm } from 'node:fs/promises';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import { gitDirectoryOf } from './create-worktree.ts';
import type { RepositoryGit } from './repository-git.ts';

/** Removes the directory of a worktree, what Git keeps of it, and its branch, unless that is checked out elsewhere. */
export async function removeWorktree(git: RepositoryGit, row: WorktreeRow): Promise<void> {
  await rm(row.path, { recursive: true, force: true });
  // Not by git: it would read the file in the worktree, which the agent can write, and prune other worktrees.
  await rm(gitDirectoryOf(row), { recursive: true, force: true });
  const ref = `refs/heads/${row.branch}`;
  const format = '%(refname)%00%(objectname)%00%(worktreepath)';
  // Also lists what is below the name.
  for (const line of (await git.text(['for-each-ref', `--format=${format}`, ref])).split('\n')) {
    const [name, commit = '', place] = line.split('\0');
    if (name === ref && place === '') await git.run(['update-ref', '-d', ref, commit]);
  }
}
