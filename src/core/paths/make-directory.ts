import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { explainUnwritable } from './explain-unwritable.ts';

/** Creates a directory of svc for its owner alone, with those above it; where that is not possible, says what to do. */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw explainUnwritable(reasonAbove(path) ?? error, path);
  }
}

/** On a read-only file system a recursive mkdir says ENOENT; the nearest directory that exists knows why. */
function reasonAbove(path: string): unknown {
  let above = path;
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  try {
    accessSync(above, constants.W_OK);
  } catch (error) {
    return error;
  }
  return undefined;
}
