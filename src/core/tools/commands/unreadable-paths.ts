import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The most entries to check, upper directories first, so that a large workspace does not delay commands. */
const MAX_ENTRIES = 20_000;
/** Directories that are skipped because they contain many generated files. */
const isSkipped = (path: string) => /\/(node_modules|\.git\/objects)$/.test(path);

/** The files and directories of a workspace that no tool may read, to be hidden from commands too. */
export async function unreadablePaths(
  workspace: string,
  mayRead: (realPath: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  const directories = [workspace];
  let seen = 0;
  for (const directory of directories) {
    // If the daemon cannot list a directory, the command cannot either.
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (++seen > MAX_ENTRIES) return found;
      const path = join(directory, entry.name);
      if (entry.isSymbolicLink()) continue;
      if (!mayRead(path)) found.push(path);
      else if (entry.isDirectory() && !isSkipped(path)) directories.push(path);
    }
  }
  return found;
}
