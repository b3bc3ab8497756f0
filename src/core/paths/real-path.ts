import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { PathError } from './path-error.ts';
import { codeOf, fileFailure } from './file-failure.ts';

/** As many as Linux follows before it gives up. */
const MAX_LINKS = 40;
/** The longest path that Linux takes. */
export const MAX_PATH = 4096;

/**
 * The absolute place that a path leads to, with every link followed as the kernel would: of what is not there yet, the
 * place where writing would create it. Relative paths start at `base`, a real folder. Touches nothing.
 */
export async function realPlace(base: string, path: string): Promise<string> {
  refuseOddSpelling(path);
  let place = isAbsolute(path) ? '/' : base;
  let isThere = true;
  let links = 0;
  const ahead = segmentsOf(path).reverse();
  for (let segment = ahead.pop(); segment !== undefined; segment = ahead.pop()) {
    if (segment === '..') {
      place = dirname(place);
      isThere = true;
      continue;
    }
    const next = join(place, segment);
    const target: Look = isThere ? await look(next) : 'missing';
    if (typeof target === 'object') {
      if (++links > MAX_LINKS) throw new PathError(`Too many links on the way to ${path}`);
      if (isAbsolute(target.link)) place = '/';
      ahead.push(...segmentsOf(target.link).reverse());
    } else {
      place = next;
      isThere = target === 'there';
    }
  }
  return place;
}

/** Whether a place is this folder or below it; both real. */
export const isInside = (folder: string, place: string): boolean =>
  place === folder || place.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

type Look = 'there' | 'missing' | { link: string };

async function look(place: string): Promise<Look> {
  try {
    return (await lstat(place)).isSymbolicLink() ? { link: await readlink(place) } : 'there';
  } catch (error) {
    // Nothing can be where a name is too long or the folder is a file.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')) return 'missing';
    throw fileFailure(error, place);
  }
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '' && segment !== '.');

function refuseOddSpelling(path: string): void {
  if (path === '') throw new PathError('The path is empty. The workspace itself is "."');
  if (path.length > MAX_PATH) throw new PathError('The path is too long');
  if (path.includes('\0')) throw new PathError('The path holds a NUL character');
  // Half a character would be written as another one, so what was checked is not what would be opened.
  if (!path.isWellFormed()) throw new PathError('The path holds half of a character');
  if (path === '~' || path.startsWith('~/'))
    throw new PathError('~ is not known here. Give a path below the workspace');
  if (/^file:\//i.test(path)) throw new PathError('Give a path instead of a file: URL');
}
