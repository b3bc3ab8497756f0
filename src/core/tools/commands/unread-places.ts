import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Entries looked at, the upper folders first: a workspace can be larger than a command may wait for. */
const MAX_ENTRIES = 20_000;
/** Full of what others made. */
const isPassedOver = (path: string) => /\/(node_modules|\.git\/objects)$/.test(path);

/** Files and folders of a workspace that no tool may look at, so that a command is not shown them either. */
export async function unreadPlaces(
  workspace: string,
  mayRead: (realPath: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  const folders = [workspace];
  let seen = 0;
  for (const folder of folders) {
    // What the daemon cannot list, the command cannot list either.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (++seen > MAX_ENTRIES) return found;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) continue;
      if (!mayRead(path)) found.push(path);
      else if (entry.isDirectory() && !isPassedOver(path)) folders.push(path);
    }
  }
  return found;
}
