import { AppError } from '../errors.ts';
import { GitFailed } from '../processes/run-git.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import type { RepositoryGit } from './repository-git.ts';

export interface CommitOrder {
  /** In the worktree. */
  git: RepositoryGit;
  row: WorktreeRow;
  /** What the commit holds. */
  tree: string;
  head: string;
  message: string;
  /** The files of settings of the person, which hold a name and an address. */
  personalSettings: readonly string[];
}

/** Commits a tree on the branch of the worktree; undefined where the branch has it already. */
export async function commitChanges(order: CommitOrder): Promise<string | undefined> {
  const { git, row, tree, head, message } = order;
  const ref = `refs/heads/${row.branch}`;
  if ((await git.text(['symbolic-ref', '--quiet', 'HEAD']).catch(orNothing)) !== ref)
    throw new AppError(
      'conflict',
      `The worktree ${row.path} is not on its branch ${row.branch} any more. Commit in it yourself.`,
    );
  if ((await git.text(['rev-parse', `${head}^{tree}`])) === tree) return undefined;
  const identity = await identityOf(order);
  const commit = await git.text(['commit-tree', tree, '-p', head], {
    stdin: `${message.trim()}\n`,
    identity,
  });
  await git.run(['update-ref', '-m', 'commit: by svc', ref, commit, head], { identity });
  // The files are those of the commit already.
  await git.run(['read-tree', '--reset', commit]);
  return commit;
}

async function identityOf({ git, personalSettings }: CommitOrder): Promise<{ name: string; email: string }> {
  const read = async (key: string) => {
    const own = await git.text(['config', '--get', key]).catch(orNothing);
    if (own) return own;
    for (const file of personalSettings) {
      const personal = await git
        .text(['config', '--file', file, '--includes', '--get', key])
        .catch(orNothing);
      if (personal) return personal;
    }
    return undefined;
  };
  const [name, email] = await Promise.all([read('user.name'), read('user.email')]);
  if (name && email) return { name, email };
  throw new AppError(
    'wrong_state',
    'Git does not know who commits. Run in the repository: git config user.name "Your Name" && git config user.email you@example.com',
  );
}

function orNothing(error: unknown): undefined {
  if (!(error instanceof GitFailed)) throw error;
}
