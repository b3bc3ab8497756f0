import { sep } from 'node:path';

const afterSeparator = String.fromCharCode(sep.charCodeAt(0) + 1);

/**
 * The paths at or below a directory as a range for an index: the path itself and exclusive bounds for those below it.
 */
export function pathRange(under: string): { path: string; above: string; below: string } {
  let path = under;
  while (path.endsWith(sep)) path = path.slice(0, -1);
  return { path, above: path + sep, below: path + afterSeparator };
}
