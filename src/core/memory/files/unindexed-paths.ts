import { basename } from 'node:path';
import { SKIPPED_FOLDERS } from './walk-rules.ts';

/** Whether nothing at or below a path is ever indexed, as far as its last name tells; the sync knows the rest. */
export function unindexedPaths(protectedDirectories: string[]): (path: string) => boolean {
  const closed = new Set(protectedDirectories);
  return (path) => SKIPPED_FOLDERS.has(basename(path)) || closed.has(path);
}
