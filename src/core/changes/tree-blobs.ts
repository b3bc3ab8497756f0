import type { RepositoryGit } from '../worktrees/repository-git.ts';
import type { TreeChange } from '../worktrees/tree-changes.ts';
import { readBlobs } from './git-blobs.ts';

const BATCH = 64;
const LINKED_REPOSITORY = '160000';

/** The contents of changed files, read from the repository in batches, in the order of the changes. */
export class TreeBlobs {
  readonly #git: RepositoryGit;
  readonly #ids: string[];
  #known = new Map<string, Buffer>();

  constructor(git: RepositoryGit, changes: readonly TreeChange[]) {
    this.#git = git;
    const files = changes.flatMap(({ before, after }) => [before, after]);
    this.#ids = files.flatMap((file) => (file && file.mode !== LINKED_REPOSITORY ? [file.id] : []));
  }

  /** Undefined for what is no file, such as a linked repository. */
  async read(id: string): Promise<Buffer | undefined> {
    const known = this.#known.get(id);
    if (known) return known;
    const at = this.#ids.indexOf(id);
    if (at < 0) return undefined;
    this.#known = new Map();
    const batch = [...new Set(this.#ids.slice(at, at + BATCH))];
    for await (const { id: found, content } of readBlobs(this.#git, batch, {}))
      this.#known.set(found, content);
    return this.#known.get(id);
  }
}
