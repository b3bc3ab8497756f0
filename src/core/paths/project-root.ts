import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MAX_DEPTH = 40;

/** The root of the repository that holds the directory, a real path; the directory itself where none does. */
export const projectRootOf = async (workspace: string): Promise<string> =>
  (await repositoryRootOf(workspace)) ?? workspace;

/** The closest directory with a repository in it, from this one upwards, as a real path; undefined where there is none. */
export async function repositoryRootOf(workspace: string): Promise<string | undefined> {
  for (let directory = workspace, depth = 0; depth < MAX_DEPTH; directory = dirname(directory), depth++) {
    if (await stat(join(directory, '.git')).catch(() => undefined)) return directory;
    if (directory === dirname(directory)) break;
  }
  return undefined;
}
