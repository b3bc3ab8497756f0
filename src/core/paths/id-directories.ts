import { existsSync } from 'node:fs';
import { opendir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Directories that svc creates for tasks and conversations, named after their ids. */
export class IdDirectories {
  readonly #root: string;
  constructor(root: string) {
    this.#root = root;
  }

  path(id: string): string {
    return join(this.#root, basename(id));
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
