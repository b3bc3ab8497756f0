import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { SecretFiles } from '../paths/secret-files.ts';
import { isSecretPath } from '../paths/secret-paths.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import type { RepositoryGit } from '../worktrees/repository-git.ts';
import { changesBetween, pathText, type TreeChange } from '../worktrees/tree-changes.ts';
import { TreeBlobs } from './tree-blobs.ts';

const MAX_COMMITS = 1000;

/** The changes of files that hold credentials, before or after. */
export async function secretChanges(
  git: RepositoryGit,
  { checkout }: Pick<WorktreeRow, 'checkout'>,
  changes: TreeChange[],
  secretFiles: Pick<SecretFiles, 'holdsSecrets'>,
): Promise<TreeChange[]> {
  const blobs = new TreeBlobs(git, changes);
  const secret: TreeChange[] = [];
  for (const change of changes) {
    const path = join(checkout, pathText(change));
    const holds = async (file: TreeChange['before']) => {
      const content = file && (await blobs.read(file.id));
      return content !== undefined && secretFiles.holdsSecrets(path, checkout, content);
    };
    if (isSecretPath(path) || (await holds(change.before)) || (await holds(change.after)))
      secret.push(change);
  }
  return secret;
}

/** The files with credentials that a commit since the base of the worktree adds or changes, also if a later one removes them. */
export async function secretsInCommits(
  git: RepositoryGit,
  row: Pick<WorktreeRow, 'checkout' | 'base'>,
  head: string,
  secretFiles: Pick<SecretFiles, 'holdsSecrets'>,
): Promise<string[]> {
  const range = ['rev-list', '--parents', `--max-count=${MAX_COMMITS + 1}`, head, `^${row.base}`];
  const lines = (await git.text(range)).split('\n').filter((line) => line !== '');
  if (lines.length > MAX_COMMITS)
    throw new AppError('conflict', `The branch has more than ${MAX_COMMITS} commits, too many to check`);
  const found = new Set<string>();
  for (const line of lines) {
    const [commit = '', ...parents] = line.split(' ');
    // What a merge takes over unchanged from any parent is in a commit that is checked itself, or in the base.
    const sets = await Promise.all(
      (parents.length > 0 ? parents : [await git.text(['mktree'], { stdin: '' })]).map((parent) =>
        changesBetween(git, parent, commit),
      ),
    );
    const [first = [], ...others] = sets.map((set) => set.filter(({ after }) => after));
    const isNew = ({ path }: TreeChange) => others.every((set) => set.some((one) => one.path === path));
    const changes = first.filter(isNew).map((change) => ({ ...change, before: undefined }));
    for (const change of await secretChanges(git, row, changes, secretFiles)) found.add(pathText(change));
  }
  return [...found];
}
