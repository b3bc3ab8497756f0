import { sep } from 'node:path';

const afterSeparator = String.fromCharCode(sep.charCodeAt(0) + 1);

/** A folder's paths as a range that an index of paths can follow: the path itself, and what sorts above and below these. */
export function pathRange(under: string): { path: string; above: string; below: string } {
  let path = under;
  while (path.endsWith(sep)) path = path.slice(0, -1);
  return { path, above: path + sep, below: path + afterSeparator };
}
