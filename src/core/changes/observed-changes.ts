import { join } from 'node:path';
import { codeOf } from '../paths/file-errors.ts';
import { lstat } from 'node:fs/promises';
import { keptMode, type FileState } from './file-state.ts';
import { readBlobs } from './git-blobs.ts';
import { isNewSince, madeDirectoryOf } from './file-times.ts';
import { NoSnapshot, type Snapshot } from './workspace-snapshots.ts';

/** More changed files of one command are not kept. */
const MAX_CHANGES = 5000;
const ABSENT = '0'.repeat(40);
const LINKED_REPOSITORY = '160000';

/** A file that differs between two snapshots. */
export interface ObservedChange {
  /** Absolute. */
  path: string;
  before: FileState | undefined;
  after: FileState | undefined;
  madeDirectory: string | undefined;
}

interface ChangedPath {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/** What changed between two snapshots of a workspace; both contents of each file are passed to `put`. */
export async function observedChanges(
  before: Snapshot,
  after: Snapshot,
  put: (content: Uint8Array) => Promise<string>,
  signal: AbortSignal,
): Promise<ObservedChange[]> {
  if (before.tree === after.tree) return [];
  const { git, root, workspace } = after;
  const options = { workTree: root, cwd: root, signal };
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', before.tree, after.tree];
  const changed: ChangedPath[] = [];
  for (const change of parseRaw((await git.run(args, options)).toString()))
    if (await isReal(change, before, after)) changed.push(change);
  if (changed.length > MAX_CHANGES) throw new NoSnapshot('too_many_files');
  const ids = new Set(changed.flatMap((change) => [change.before, change.after]));
  const hashes = new Map<string, string>();
  const known = [...ids].filter((id) => id !== undefined);
  if (known.length > 0)
    for await (const { id, content } of readBlobs(git, known, options)) hashes.set(id, await put(content));
  return Promise.all(
    changed.map(async ({ name, before: old, after: present }) => {
      const path = join(root, name);
      const stateIn = (id: string | undefined, { files }: Snapshot): FileState | undefined => {
        const file = files.get(name);
        return id === undefined || !file ? undefined : { hash: hashes.get(id) ?? null, mode: keptMode(file) };
      };
      return {
        path,
        before: stateIn(old, before),
        after: stateIn(present, after),
        madeDirectory: old === undefined ? await madeDirectoryOf(path, workspace, before.takenAt) : undefined,
      };
    }),
  );
}

/** Lines such as `:100644 100755 <id> <id> M`, each followed by its path. */
function parseRaw(output: string): ChangedPath[] {
  const parts = output.split('\0');
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (parts[at] ?? '').slice(1).split(' ');
    if (oldMode === LINKED_REPOSITORY || newMode === LINKED_REPOSITORY) continue;
    changes.push({
      name: parts[at + 1] ?? '',
      before: oldId === ABSENT ? undefined : oldId,
      after: newId === ABSENT ? undefined : newId,
    });
  }
  return changes;
}

/**
 * A file that became ignored, or is not any more, was neither removed nor created: undoing that would remove what a
 * person had. A new name of a file that was there before is a change.
 */
async function isReal({ name, before: old, after: present }: ChangedPath, before: Snapshot, after: Snapshot) {
  if (old !== undefined && present !== undefined) return true;
  if (present === undefined)
    return await lstat(join(after.root, name)).then(
      () => false,
      (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? ''),
    );
  const file = after.files.get(name);
  return file !== undefined && (isNewSince(file, before.takenAt) || inodesOf(before).has(file.ino));
}

const inodes = new WeakMap<Snapshot, Set<number>>();
function inodesOf(snapshot: Snapshot): Set<number> {
  const known = inodes.get(snapshot) ?? new Set([...snapshot.files.values()].map(({ ino }) => ino));
  inodes.set(snapshot, known);
  return known;
}
