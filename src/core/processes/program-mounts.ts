import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInside } from '../paths/real-path.ts';

/** The real path of a directory; undefined if it does not exist or is no directory. */
export const realDirectory = async (path: string): Promise<string | undefined> => {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return undefined;
  return (await stat(real)).isDirectory() ? real : undefined;
};

/** The siblings of a `bin` directory that its programs need; never those that hold data of people. */
const siblingNames = ['lib', 'lib64', 'libexec', 'versions', 'version'];

/** A path of the machine, and where it is mounted in the sandbox. */
export interface Mount {
  source: string;
  target: string;
}

/**
 * The directories of a PATH and what their programs need, to be mounted read-only. Directories that hold more than programs
 * are left out: a home, its parents, and everything that contains or is inside a hidden directory.
 */
export async function programMounts(
  searchPath: string,
  homes: readonly string[],
  hidden: readonly string[],
): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const target of new Set(searchPath.split(':').filter(isAbsolute))) {
    const source = await realDirectory(target);
    if (source === undefined || isInside('/usr', source) || ['/bin', '/sbin'].includes(source)) continue;
    const [directory, shownAs] =
      basename(source) === '.bin' && basename(dirname(source)) === 'node_modules'
        ? [dirname(source), dirname(target)]
        : [source, target];
    const isAllowed = (path: string) =>
      ![...homes, ...hidden].some((closed) => isInside(path, closed)) &&
      !hidden.some((closed) => isInside(closed, path));
    if (!isAllowed(directory)) continue;
    mounts.push({ source: directory, target: directory }, { source: directory, target: shownAs });
    for (const name of siblingNames) {
      const sibling = join(dirname(source), name);
      if ((await lstat(sibling).catch(() => undefined)) && isAllowed(sibling))
        mounts.push(
          { source: sibling, target: sibling },
          { source: sibling, target: join(dirname(target), name) },
        );
    }
  }
  return mounts.filter(
    ({ target }, index) => mounts.findIndex((mount) => mount.target === target) === index && target !== '/',
  );
}
