import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { PathError } from './path-error.ts';
import { codeOf, toPathError } from './file-errors.ts';

/** The number of links that Linux follows before it gives up. */
const MAX_LINKS = 40;
/** The longest path that Linux accepts. */
export const MAX_PATH = 4096;

/**
 * The absolute path that a path leads to, with every link followed as the kernel does. For a path that does not exist yet,
 * it is where writing would create it. Relative paths start at `base`, a real directory. Only reads the file system.
 */
export async function resolveRealPath(base: string, path: string): Promise<string> {
  validatePath(path);
  let resolved = isAbsolute(path) ? '/' : base;
  let exists = true;
  let links = 0;
  const remaining = segmentsOf(path).reverse();
  for (let segment = remaining.pop(); segment !== undefined; segment = remaining.pop()) {
    if (segment === '..') {
      resolved = dirname(resolved);
      exists = true;
      continue;
    }
    const next = join(resolved, segment);
    const entry: Entry = exists ? await inspect(next) : 'missing';
    if (typeof entry === 'object') {
      if (++links > MAX_LINKS) throw new PathError(`Too many symbolic links in ${path}`);
      if (isAbsolute(entry.target)) resolved = '/';
      remaining.push(...segmentsOf(entry.target).reverse());
    } else {
      resolved = next;
      exists = entry === 'present';
    }
  }
  return resolved;
}

/** Whether a path is this directory or below it; both must be real paths. */
export const isInside = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);

type Entry = 'present' | 'missing' | { target: string };

async function inspect(path: string): Promise<Entry> {
  try {
    return (await lstat(path)).isSymbolicLink() ? { target: await readlink(path) } : 'present';
  } catch (error) {
    // Nothing can exist below a file or under a name that is too long.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')) return 'missing';
    throw toPathError(error, path);
  }
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '' && segment !== '.');

function validatePath(path: string): void {
  if (path === '') throw new PathError('The path is empty. The workspace itself is "."');
  if (path.length > MAX_PATH) throw new PathError('The path is too long');
  if (path.includes('\0')) throw new PathError('The path contains a NUL character');
  // The system would replace an unpaired surrogate, and open another path than the one that was checked.
  if (!path.isWellFormed()) throw new PathError('The path contains an unpaired surrogate');
  if (path === '~' || path.startsWith('~/'))
    throw new PathError('~ is not supported. Use a path inside the workspace');
  if (/^file:\//i.test(path)) throw new PathError('Use a path instead of a file: URL');
}
