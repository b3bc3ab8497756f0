import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInside } from '../paths/real-path.ts';

export const realFolder = async (path: string): Promise<string | undefined> => {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return undefined;
  return (await stat(real)).isDirectory() ? real : undefined;
};

/** What programs of a `bin` folder need of the folders beside it; never what people keep there. */
const besidePrograms = ['lib', 'lib64', 'libexec', 'versions', 'version'];

/** A place of the machine, and where the sandbox shows it. */
export interface ShownPlace {
  source: string;
  target: string;
}

/**
 * The folders of a PATH with what their programs need, for reading. One that holds more than programs is left out: a home
 * or whatever it is in, and what has to do with a hidden folder.
 */
export async function programPlaces(
  path: string,
  homes: readonly string[],
  hidden: readonly string[],
): Promise<ShownPlace[]> {
  const places: ShownPlace[] = [];
  for (const target of new Set(path.split(':').filter(isAbsolute))) {
    const source = await realFolder(target);
    if (source === undefined || isInside('/usr', source) || ['/bin', '/sbin'].includes(source)) continue;
    const [wanted, shown] =
      basename(source) === '.bin' && basename(dirname(source)) === 'node_modules'
        ? [dirname(source), dirname(target)]
        : [source, target];
    const isOpen = (folder: string) =>
      ![...homes, ...hidden].some((place) => isInside(folder, place)) &&
      !hidden.some((place) => isInside(place, folder));
    if (!isOpen(wanted)) continue;
    places.push({ source: wanted, target: wanted }, { source: wanted, target: shown });
    for (const name of besidePrograms) {
      const beside = join(dirname(source), name);
      if ((await lstat(beside).catch(() => undefined)) && isOpen(beside))
        places.push(
          { source: beside, target: beside },
          { source: beside, target: join(dirname(target), name) },
        );
    }
  }
  return places.filter(
    ({ target }, index) => places.findIndex((place) => place.target === target) === index && target !== '/',
  );
}
