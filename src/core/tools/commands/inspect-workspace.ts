import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRepositoryListing } from '../../processes/git-protection.ts';

/** The most entries to look at. What lies in directories that were not reached stays hidden. */
const MAX_ENTRIES = 400_000;
/** The directories and files that are looked at at a time. */
const BATCH = 64;
/** Directories with many generated files: others come first. */
const isLater = (name: string) => name === 'node_modules' || name === '.git';
export interface InspectedWorkspace {
  /** Files and directories that no command may read, as real paths. */
  hidden: string[];
  /** Directories in which git keeps a repository, and files named `.git` that lead to one. */
  repositories: string[];
  /** Whether some directories are hidden only because there are too many to look at. */
  isCut: boolean;
}

export interface Inspection {
  /** Whether the guards allow a path by its name. */
  mayRead: (path: string) => boolean;
  /** Whether a file holds credentials by its content. */
  isSecret?: (path: string) => Promise<boolean>;
  signal: AbortSignal;
  maxEntries?: number;
}

/** Looks at the whole workspace, without following links, for what a sandbox has to hide and to protect. */
export async function inspectWorkspace(workspace: string, options: Inspection): Promise<InspectedWorkspace> {
  const { mayRead, isSecret, signal, maxEntries = MAX_ENTRIES } = options;
  const found: InspectedWorkspace = { hidden: [], repositories: [], isCut: false };
  const first = [workspace];
  const later: string[] = [];
  let left = maxEntries;
  while (first.length + later.length > 0) {
    signal.throwIfAborted();
    const batch = (first.length > 0 ? first : later).splice(0, BATCH);
    const listed = await Promise.all(batch.map(listDirectory));
    const files: string[] = [];
    for (const [index, entries] of listed.entries()) {
      const directory = batch[index] ?? workspace;
      left -= entries.length;
      if (left < 0 && directory !== workspace) {
        found.isCut = true;
        found.hidden.push(directory);
        continue;
      }
      const names = new Set(entries.map(({ name }) => name));
      if (isRepositoryListing(names)) found.repositories.push(directory);
      for (const entry of entries) {
        const path = join(directory, entry.name);
        if (entry.isSymbolicLink()) continue;
        if (!mayRead(path)) found.hidden.push(path);
        else if (entry.isDirectory()) (isLater(entry.name) ? later : first).push(path);
        else if (entry.name === '.git') found.repositories.push(path);
        else if (entry.isFile() && isSearched(path)) files.push(path);
      }
    }
    if (isSecret) found.hidden.push(...(await secretsAmong(files, isSecret)));
  }
  return found;
}

/** The contents of packages and of git itself are public or not text; their names are checked all the same. */
const isSearched = (path: string) => !/\/(node_modules|\.git|\.venv|vendor|target|dist)\//.test(path);

// If the daemon cannot list a directory, the command cannot either.
const listDirectory = (directory: string): Promise<Dirent[]> =>
  readdir(directory, { withFileTypes: true }).catch(() => []);

async function secretsAmong(
  files: string[],
  isSecret: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const secrets: string[] = [];
  for (let at = 0; at < files.length; at += BATCH) {
    const batch = files.slice(at, at + BATCH);
    const results = await Promise.all(batch.map(isSecret));
    secrets.push(...batch.filter((_, index) => results[index]));
  }
  return secrets;
}
