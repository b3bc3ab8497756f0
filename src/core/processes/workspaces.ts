import { existsSync } from 'node:fs';
import { mkdir, opendir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Task } from '../../contract/task.ts';
import { PathError } from '../paths/path-error.ts';

/** The directories in which agents work: the one that the task names, or one created for the task. */
export class Workspaces {
  readonly #root: string;
  constructor(root: string) {
    this.#root = root;
  }

  async open(task: Pick<Task, 'id' | 'cwd'>): Promise<string> {
    if (task.cwd === undefined) {
      const directory = join(this.#root, task.id);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      return directory;
    }
    const isDirectory = await stat(task.cwd).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isDirectory) return task.cwd;
    throw new PathError(`There is no folder ${task.cwd}`);
  }

  /** Removes the directory that was created for a task or a conversation, with its content. */
  async remove(id: string): Promise<void> {
    await rm(join(this.#root, basename(id)), { recursive: true, force: true });
  }

  async changedAt(id: string): Promise<Date | undefined> {
    const found = await stat(join(this.#root, basename(id))).catch(() => undefined);
    return found?.mtime;
  }

  /** The ids of the tasks and conversations that have a directory of their own. */
  async *list(): AsyncGenerator<string> {
    if (!existsSync(this.#root)) return;
    for await (const entry of await opendir(this.#root)) if (entry.isDirectory()) yield entry.name;
  }

  /** Removes the directory that was created for the task if it is empty. */
  async close(task: Pick<Task, 'id' | 'cwd'>): Promise<void> {
    if (task.cwd !== undefined) return;
    try {
      await rmdir(join(this.#root, task.id));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
    }
  }
}
