import { isToolFailure, type ToolScope } from '../tool.ts';
import { codeOf } from '../../paths/file-errors.ts';
import { readEntries } from './list-directory.ts';
import { openVerifiedDirectory } from '../../paths/open-verified.ts';

const MAX_ENTRIES = 500_000;
/** Directories that are rarely the target of a search. */
const SKIPPED = ['.git', 'node_modules'];

export interface Walk {
  /** A real directory. */
  root: string;
  /** The path and pattern of the request, joined by slashes: a skipped directory that they name is walked. */
  requested: string;
  scope: ToolScope;
  signal: AbortSignal;
}

/** What a walk could not cover; complete once the walk is finished. */
export interface WalkGaps {
  unreadable: number;
  isCut: boolean;
}

/** The real paths of all regular files below a directory, sorted, without following links. */
export async function* walkFiles(walk: Walk, gaps: WalkGaps): AsyncGenerator<string> {
  const skipped = SKIPPED.filter((name) => !walk.requested.split('/').includes(name));
  const pending = [walk.root];
  let left = MAX_ENTRIES;
  // A path that ends in a slash is a directory.
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    walk.signal.throwIfAborted();
    if (path !== walk.root && !path.endsWith('/')) {
      yield path;
      continue;
    }
    const directory = path === walk.root ? path : path.slice(0, -1);
    const entries = await entriesOf(directory, left, walk, gaps);
    left -= entries.length;
    if (left <= 0) gaps.isCut = true;
    const prefix = directory.endsWith('/') ? directory : `${directory}/`;
    for (const entry of entries.reverse())
      if (entry.isFile()) pending.push(prefix + entry.name);
      else if (
        entry.isDirectory() &&
        !skipped.includes(entry.name) &&
        walk.scope.mayRead(prefix + entry.name)
      )
        pending.push(`${prefix}${entry.name}/`);
  }
}

async function entriesOf(directory: string, max: number, { root, signal }: Walk, gaps: WalkGaps) {
  if (max <= 0) return [];
  try {
    await using opened = await openVerifiedDirectory(directory);
    return await readEntries(opened, max, signal);
  } catch (error) {
    // The tree may change meanwhile: a directory that was removed or replaced is skipped. The root must exist.
    if (directory === root || !(isToolFailure(error) || isExpected(codeOf(error)))) throw error;
    gaps.unreadable++;
    return [];
  }
}

const isExpected = (code: string | undefined) =>
  ['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EIO'].includes(code ?? '');
