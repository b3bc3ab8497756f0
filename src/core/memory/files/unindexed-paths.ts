import { basename } from 'node:path';
import { SKIPPED_DIRECTORIES } from './walk-rules.ts';

/** Whether the last name of a path rules out that anything at or below it is indexed. */
export function unindexedPaths(protectedDirectories: string[]): (path: string) => boolean {
  const excluded = new Set(protectedDirectories);
  return (path) => SKIPPED_DIRECTORIES.has(basename(path)) || excluded.has(path);
}
