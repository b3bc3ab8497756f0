import type { RepositoryGit } from './repository-git.ts';

const ABSENT_MODE = '000000';
/** Larger patches are not made. */
const MAX_PATCH_BYTES = 256 * 1024 * 1024;

/** A file in a tree. */
export interface TreeFile {
  /** As Git writes it, such as `100644`. */
  mode: string;
  id: string;
}

/** A file that differs between two trees. */
export interface TreeChange {
  path: string;
  before: TreeFile | undefined;
  after: TreeFile | undefined;
}

/** Folders in which agents keep settings of their own, which are no part of their work. */
const agentFolder = /(?:^|\/)\.(?:claude|codex)(?:\/|$)/;

export async function changesBetween(git: RepositoryGit, base: string, tree: string): Promise<TreeChange[]> {
  const output = await git.run([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--full-index',
    base,
    tree,
  ]);
  // Latin-1 keeps every byte, so that a name that is not UTF-8 stays what it is for git.
  const parts = output.toString('latin1').split('\0');
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = '', mode = '', oldId = '', id = ''] = (parts[at] ?? '').slice(1).split(' ');
    changes.push({
      path: parts[at + 1] ?? '',
      before: oldMode === ABSENT_MODE ? undefined : { mode: oldMode, id: oldId },
      after: mode === ABSENT_MODE ? undefined : { mode, id },
    });
  }
  return changes;
}

/** The name of a file as text. */
export const pathText = ({ path }: Pick<TreeChange, 'path'>): string =>
  Buffer.from(path, 'latin1').toString();

export const isOfAgent = (change: Pick<TreeChange, 'path'>): boolean => agentFolder.test(pathText(change));

/** The tree as it would be without some of its changes. */
export async function withoutChanges(
  git: RepositoryGit,
  tree: string,
  changes: readonly TreeChange[],
): Promise<string> {
  if (changes.length === 0) return tree;
  return git.withIndex(async (index) => {
    await git.run(['read-tree', tree], { index });
    const removed = changes.flatMap(({ path, after }) =>
      after ? [`0 ${'0'.repeat(after.id.length)}\t${path}\0`] : [],
    );
    const restored = changes.flatMap(({ path, before }) =>
      before ? [`${before.mode} ${before.id}\t${path}\0`] : [],
    );
    for (const lines of [removed, restored])
      if (lines.length > 0)
        await git.run(['update-index', '-z', '--index-info'], {
          index,
          stdin: Buffer.from(lines.join(''), 'latin1'),
        });
    return git.text(['write-tree'], { index });
  });
}

/** The patch between two trees or of one file in them, byte for byte, also of binary files; `git apply` takes it. */
export const patchBetween = (
  git: RepositoryGit,
  base: string,
  tree: string,
  file?: string,
): Promise<Buffer> =>
  git.run(
    [
      'diff-tree',
      '-r',
      '-p',
      '--binary',
      '--full-index',
      '--no-renames',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--src-prefix=a/',
      '--dst-prefix=b/',
      base,
      tree,
      ...(file === undefined ? [] : ['--', `:(top,literal)${file}`]),
    ],
    { maxBytes: MAX_PATCH_BYTES },
  );

/** How many lines the changes add and remove, without what agents keep for themselves; binary files have none. */
export async function countLines(
  git: RepositoryGit,
  base: string,
  tree: string,
): Promise<{ files: number; additions: number; deletions: number }> {
  const output = await git.run([
    'diff-tree',
    '-r',
    '-z',
    '--numstat',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    base,
    tree,
  ]);
  const total = { files: 0, additions: 0, deletions: 0 };
  for (const line of output.toString('latin1').split('\0').slice(0, -1)) {
    const [added, removed, ...path] = line.split('\t');
    if (isOfAgent({ path: path.join('\t') })) continue;
    total.files++;
    total.additions += Number(added) || 0;
    total.deletions += Number(removed) || 0;
  }
  return total;
}
