import { join } from 'node:path';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { GitFailed, pathsIn } from '../processes/run-git.ts';
import type { RepositoryGit } from './repository-git.ts';

const MAX_BYTES = 64 * 1024;

/** The directory in which a repository keeps what it says to svc. */
const DIRECTORY = '.svc';

/** The files in which it names ignored files that worktrees get. */
export const INCLUDE_FILE = '.worktreeinclude';

/** What a repository says to svc in a commit, so that no agent of the task can have edited it. */
export class CommittedFiles {
  readonly #git: RepositoryGit;
  /** The ids of the contents. */
  readonly #ids: ReadonlyMap<string, string>;

  private constructor(git: RepositoryGit, ids: ReadonlyMap<string, string>) {
    this.#git = git;
    this.#ids = ids;
  }

  /** `subdirectory` is the one in which a task works, relative to the root. */
  static async of(git: RepositoryGit, commit: string, subdirectory = ''): Promise<CommittedFiles> {
    const directories = new Set([DIRECTORY, join(subdirectory, DIRECTORY)]);
    // With `./`, a name that begins with a colon is nothing but a name.
    const paths = [...directories].map((path) => `./${path}/`);
    const listed = pathsIn(await git.run(['ls-tree', '-z', commit, '--', ...paths, INCLUDE_FILE]));
    const files = listed.map((line) => /^100\d{3} blob ([\da-f]+)\t(.+)$/s.exec(line) ?? []);
    return new CommittedFiles(git, new Map(files.map(([, id = '', path = '']) => [path, id])));
  }

  /** The text of a file, by its path from the root; undefined where there is none. */
  async read(path: string): Promise<string | undefined> {
    const id = this.#ids.get(path);
    if (id === undefined) return undefined;
    try {
      return (await this.#git.run(['cat-file', 'blob', id], { maxBytes: MAX_BYTES })).toString();
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      throw new AgentFailure(
        'invalid_input',
        'bad_worktree_file',
        `${path} cannot be read: ${error.message}`,
        { isFinal: true },
      );
    }
  }
}
