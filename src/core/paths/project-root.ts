import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MAX_DEPTH = 40;

/** The root of the repository that holds the directory, a real path; the directory itself where none does. */
export async function projectRootOf(workspace: string): Promise<string> {
  for (let directory = workspace, depth = 0; depth < MAX_DEPTH; directory = dirname(directory), depth++) {
    if (await stat(join(directory, '.git')).catch(() => undefined)) return directory;
    if (directory === dirname(directory)) break;
  }
  return workspace;
}
