import { existsSync } from 'node:fs';
import { opendir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Directories that svc creates for tasks and conversations, named after their ids. */
export class IdDirectories {
  readonly #root: string;
  constructor(root: string) {
    this.#root = root;
  }

  path(id: string): string {
    return join(this.#root, basename(id));
  }

  /** The id whose directory this path is, also through a symbolic link to their root; undefined for any other path. */
  async idOf(path: string): Promise<string | undefined> {
    const id = basename(path);
    if (!/^[a-z]+_[\w-]+$/.test(id)) return undefined;
    const root = await realpath(this.#root).catch(() => this.#root);
    return [this.#root, root].includes(dirname(path)) ? id : undefined;
  }

  /** Removes the directory of a task or a conversation, with its content. */
  async remove(id: string): Promise<void> {
    await rm(this.path(id), { recursive: true, force: true });
  }

  async changedAt(id: string): Promise<Date | undefined> {
    const found = await stat(this.path(id)).catch(() => undefined);
    return found?.mtime;
  }

  /** The ids that have a directory. */
  async *list(): AsyncGenerator<string> {
    if (!existsSync(this.#root)) return;
    for await (const entry of await opendir(this.#root)) if (entry.isDirectory()) yield entry.name;
  }
}
