import type { ChangedFileEntry, ChangedFiles, FilePatch, FilePatchQuery } from '../../contract/changes.ts';
import { AppError } from '../errors.ts';
import { describeChange, type DescribeDeps, shownPath } from './describe-change.ts';
import { isLink } from './file-state.ts';
import type { NetChange } from './net-changes.ts';

/** More files are not listed. */
const MAX_FILES = 2000;

/** Where changed files are described from. */
export interface ChangeSource {
  deps: DescribeDeps;
  root: string;
  changes: readonly NetChange[];
  /** The patch of a text file that is too large to compare here; absent where nothing else can make it. */
  largePatch?: (path: string) => Promise<string>;
}

/** A change, or the two that a renamed file comes to. */
interface FileChange {
  change: NetChange;
  from?: NetChange;
}

/** The changed files without their patches. */
export async function listChangedFiles({
  deps,
  root,
  changes,
}: ChangeSource): Promise<Omit<ChangedFiles, 'notKept' | 'worktree'>> {
  const joined = joinRenames(changes);
  const files: ChangedFileEntry[] = [];
  for (const each of joined.slice(0, MAX_FILES)) files.push((await describe(deps, root, each)).entry);
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return {
    ...(files.length > 0 && { directory: root }),
    files,
    additions: sum('additions'),
    deletions: sum('deletions'),
    truncated: joined.length > MAX_FILES,
  };
}

/** A part of the patch of one file, which ends with a line where it can. */
export async function readFilePatch(
  { deps, root, changes, largePatch }: ChangeSource,
  { path, offset, limit }: FilePatchQuery,
): Promise<FilePatch> {
  const found = joinRenames(changes).find(({ change }) => shownPath(root, change.path) === path);
  if (!found) throw new AppError('not_found', 'Changed file not found');
  const { entry, patch: described } = await describe(deps, root, found);
  const isLarge = entry.withheld === 'size' && !entry.isBinary;
  const patch = isLarge && largePatch ? await largePatch(path) : described;
  if (patch === undefined) return { file: entry, offset: 0, size: 0 };
  const { withheld: _, ...file } = entry;
  const part = cutAtLine(patch.slice(offset, offset + limit), offset + limit < patch.length);
  const end = offset + part.length;
  return {
    file: isLarge ? file : entry,
    patch: part,
    offset,
    size: patch.length,
    ...(end < patch.length && { nextOffset: end }),
  };
}

function cutAtLine(text: string, isCut: boolean): string {
  const end = isCut ? text.lastIndexOf('\n') + 1 : 0;
  if (end > 0) return text.slice(0, end);
  // Half of a character would be another one.
  return isCut && /[\uD800-\uDBFF]$/.test(text) && text.length > 1 ? text.slice(0, -1) : text;
}

async function describe(
  deps: DescribeDeps,
  root: string,
  { change, from }: FileChange,
): Promise<{ entry: ChangedFileEntry; patch?: string }> {
  const { patch, ...file } = await describeChange(deps, root, change);
  if (!from) return { entry: file, ...(patch !== undefined && { patch }) };
  const { additions: _, deletions: __, ...moved } = file;
  const earlier = shownPath(root, from.path);
  const hasPatch = patch !== undefined || (file.isBinary && file.withheld === undefined);
  return {
    entry: {
      ...moved,
      status: 'renamed',
      from: earlier,
      ...(hasPatch && { additions: 0, deletions: 0 }),
    },
    ...(hasPatch && { patch: `similarity index 100%\nrename from ${earlier}\nrename to ${file.path}\n` }),
  };
}

/** A removed file whose content is in a new one was renamed. */
function joinRenames(changes: readonly NetChange[]): FileChange[] {
  const removed = new Map<string, NetChange[]>();
  for (const change of changes) {
    const { before, after } = change;
    if (!before || after || before.hash === null || isLink(before)) continue;
    removed.set(before.hash, [...(removed.get(before.hash) ?? []), change]);
  }
  const isTaken = new Set<NetChange>();
  const joined = changes.map((change): FileChange => {
    const { before, after } = change;
    if (before || !after || after.hash === null || isLink(after)) return { change };
    const from = removed.get(after.hash)?.shift();
    if (!from) return { change };
    isTaken.add(from);
    return { change, from };
  });
  return joined.filter(({ change }) => !isTaken.has(change));
}
