import { basename } from 'node:path';

/** Folders that hardly anybody means. */
const SKIPPED_FOLDERS = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv']);

/** Whether nothing at or below a path is ever indexed, as far as its last name tells; the sync knows the rest. */
export function unindexedPaths(protectedFolders: string[]): (path: string) => boolean {
  const closed = new Set(protectedFolders);
  return (path) => SKIPPED_FOLDERS.has(basename(path)) || closed.has(path);
}

/** Whether a file of this name says what else is indexed. */
export const isIgnoreFile = (name: string): boolean => name === '.gitignore';
