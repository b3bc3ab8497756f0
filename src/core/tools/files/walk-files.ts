import { isToolFailure, type ToolScope } from '../tool.ts';
import { codeOf } from '../../paths/file-failure.ts';
import { readEntries } from './list-directory.ts';
import { openVerifiedFolder } from '../../paths/open-verified.ts';

const MAX_ENTRIES = 500_000;
/** What hardly anybody means when looking for something. */
const SKIPPED = ['.git', 'node_modules'];

export interface Walk {
  /** A real folder. */
  root: string;
  /** Names of folders that are walked although they usually are not: the words of what was asked for. */
  asked: string;
  scope: ToolScope;
  signal: AbortSignal;
}

/** What a walk could not see, known when it is over. */
export interface WalkGaps {
  unreadable: number;
  isCut: boolean;
}

/** The real places of all regular files below a folder, sorted, without following a link. */
export async function* walkFiles(walk: Walk, gaps: WalkGaps): AsyncGenerator<string> {
  const skipped = SKIPPED.filter((name) => !walk.asked.split('/').includes(name));
  const ahead = [walk.root];
  let left = MAX_ENTRIES;
  // A place that ends in a slash is a folder.
  for (let place = ahead.pop(); place !== undefined; place = ahead.pop()) {
    walk.signal.throwIfAborted();
    if (place !== walk.root && !place.endsWith('/')) {
      yield place;
      continue;
    }
    const folder = place === walk.root ? place : place.slice(0, -1);
    const entries = await entriesOf(folder, left, walk, gaps);
    left -= entries.length;
    if (left <= 0) gaps.isCut = true;
    const prefix = folder.endsWith('/') ? folder : `${folder}/`;
    for (const entry of entries.reverse())
      if (entry.isFile()) ahead.push(prefix + entry.name);
      else if (
        entry.isDirectory() &&
        !skipped.includes(entry.name) &&
        walk.scope.mayRead(prefix + entry.name)
      )
        ahead.push(`${prefix}${entry.name}/`);
  }
}

async function entriesOf(folder: string, max: number, { root, signal }: Walk, gaps: WalkGaps) {
  if (max <= 0) return [];
  try {
    await using opened = await openVerifiedFolder(folder);
    return await readEntries(opened, max, signal);
  } catch (error) {
    // Others work in the same tree: what is gone or swapped meanwhile is not there. The root has to be.
    if (folder === root || !(isToolFailure(error) || isExpected(codeOf(error)))) throw error;
    gaps.unreadable++;
    return [];
  }
}

const isExpected = (code: string | undefined) =>
  ['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EIO'].includes(code ?? '');
