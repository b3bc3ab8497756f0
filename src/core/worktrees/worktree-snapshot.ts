import { constants } from 'node:fs';
import { access, copyFile, lstat, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../paths/file-errors.ts';
import { GitFailed, pathLines, pathsIn } from '../processes/run-git.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import type { RepositoryGit } from './repository-git.ts';

const IDENTITY = { name: 'svc', email: 'svc@localhost' };

export const snapshotRef = (taskId: string): string => `refs/svc/snapshots/${taskId}`;

/** The files of a worktree at one moment, as a tree of the repository. */
export interface WorktreeTree {
  tree: string;
  /** The commit that is checked out; that at which the worktree began where there is none. */
  head: string;
  /** What no snapshot can hold: repositories in it, and files that cannot be read. */
  leftOut: string[];
}

/** Stores the files of the worktree, also those that are not tracked; its own index stays as it is. */
export async function treeOfWorktree(git: RepositoryGit, base: string): Promise<WorktreeTree> {
  return storeFiles(git, (await commitOf(git, 'HEAD')) ?? base);
}

/** The files of a worktree beside those with which it began and those that are kept. */
export interface InspectedTree extends WorktreeTree {
  /** The tree of the commit at which it began. */
  baseTree: string | undefined;
  kept: Snapshot | undefined;
}

/** The same, with what they are compared with. */
export async function inspectWorktree(
  git: RepositoryGit,
  { task_id, base }: Pick<WorktreeRow, 'task_id' | 'base'>,
): Promise<InspectedTree> {
  const names = ['HEAD^{commit}', `${base}^{tree}`, ...namesOf(task_id)];
  const [head, baseTree, ...snapshot] = await objectsOf(git, names);
  return { ...(await storeFiles(git, head ?? base)), baseTree, kept: snapshotIn(snapshot) };
}

async function storeFiles(git: RepositoryGit, head: string): Promise<WorktreeTree> {
  const attempt = (isFresh: boolean) => git.withIndex((index) => storeTree(git, head, index, isFresh));
  const stored = await attempt(false).catch((error: unknown) => {
    // Files may change while git reads them, and an agent may leave an index with conflicts.
    if (error instanceof GitFailed) return attempt(true);
    throw error;
  });
  return { ...stored, head };
}

async function storeTree(
  git: RepositoryGit,
  head: string,
  index: string,
  isFresh: boolean,
): Promise<{ tree: string; leftOut: string[] }> {
  const { known } = git.place;
  if (!known) throw new Error('The directories of a worktree are known');
  if (isFresh) await git.run(['read-tree', head], { index });
  else
    await copyIndex(join(known.gitDirectory, 'index'), index).catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      await git.run(['read-tree', head], { index });
    });
  // What is left out of new files is not left out of those that are tracked.
  const listing = ['ls-files', '-z', '--modified', '--others', '--exclude-standard'];
  const listed = pathsIn(await git.run([...listing, '--exclude=node_modules/'], { index }));
  const leftOut: string[] = [];
  const stored: string[] = [];
  for (const path of new Set(listed))
    if (await canBeStored(known.workTree, path)) stored.push(path);
    else leftOut.push(path);
  if (stored.length > 0)
    await git.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
      index,
      stdin: pathLines(stored),
    });
  return { tree: await git.text(['write-tree'], { index }), leftOut };
}

/** The times of files in an index spare git from reading all of them. */
async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await stat(from);
  await copyFile(from, to);
  // A file that changed after the time of the index is read: with the time of the copy, git would take it for unchanged.
  const time = mtimeMs / 1000 - 1;
  await utimes(to, time, time);
}

async function canBeStored(root: string, path: string): Promise<boolean> {
  // A repository in the worktree ends in a slash; it is not looked into.
  if (path.endsWith('/')) return false;
  const file = join(root, path);
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile()) return true;
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** The files of a worktree that are kept, and the commit that was checked out. */
export interface Snapshot {
  commit: string;
  tree: string;
  head: string;
}

/** Keeps a tree under the snapshot of the task, with the commits that it belongs to. */
export async function keepSnapshot(
  git: RepositoryGit,
  { task_id, base }: Pick<WorktreeRow, 'task_id' | 'base'>,
  {
    tree,
    head,
    kept,
    more = [],
  }: Pick<WorktreeTree, 'tree' | 'head'> & { kept?: Snapshot | undefined; more?: readonly string[] },
): Promise<void> {
  if (kept?.tree === tree && kept.head === head && more.length === 0) return;
  const parents = [...new Set([head, base, ...more])].flatMap((commit) => ['-p', commit]);
  const message = `Files of the worktree of ${task_id}\n`;
  const commit = await git.text(['commit-tree', tree, ...parents], { stdin: message, identity: IDENTITY });
  await git.run(['update-ref', snapshotRef(task_id), commit]);
}

/** The snapshot of a task; undefined where it has none. */
export const readSnapshot = async (git: RepositoryGit, taskId: string): Promise<Snapshot | undefined> =>
  snapshotIn(await objectsOf(git, namesOf(taskId)));

/** The names of the commit of a snapshot, its tree, and the commit that was checked out. */
const namesOf = (taskId: string) =>
  ['^{commit}', '^{tree}', '^1'].map((part) => `${snapshotRef(taskId)}${part}`);

function snapshotIn([commit, tree, head]: readonly (string | undefined)[]): Snapshot | undefined {
  if (commit === undefined || tree === undefined || head === undefined) return undefined;
  return { commit, tree, head };
}

/** The id of the commit that a name leads to; undefined where it leads to none. */
export async function commitOf(git: RepositoryGit, name: string): Promise<string | undefined> {
  try {
    return (await objectsOf(git, [`${name}^{commit}`]))[0];
  } catch (error) {
    if (error instanceof GitFailed) return undefined;
    throw error;
  }
}

/** The ids of the objects that names lead to; undefined for each that leads to none. */
export async function objectsOf(
  git: RepositoryGit,
  names: readonly string[],
): Promise<(string | undefined)[]> {
  // No name has a line feed, and what follows one would be another name.
  const lines = names.map((name) => (name.includes('\n') ? '' : name));
  const output = await git.text(['cat-file', '--batch-check=%(objectname)'], {
    stdin: `${lines.join('\n')}\n`,
  });
  return output.split('\n').map((line) => (/^[\da-f]{40,64}$/.test(line) ? line : undefined));
}
