import { mkdirSync } from 'node:fs';
import { rmdir, stat } from 'node:fs/promises';
import type { Task } from '../../contract/task.ts';
import { IdDirectories } from '../paths/id-directories.ts';
import { PathError } from '../paths/path-error.ts';

/** The directories in which agents work: the one that the task names, or one created for the task. */
export class Workspaces extends IdDirectories {
  /** What is being removed, by task: its next attempt must not find a directory that is about to vanish. */
  readonly #closing = new Map<string, Promise<void>>();

  async open(task: Pick<Task, 'id' | 'cwd'>): Promise<string> {
    if (task.cwd === undefined) return this.#create(task.id);
    // A task that continues another one works in the directory of that, which was removed if it was empty.
    const id = await this.idOf(task.cwd);
    if (id !== undefined) return this.#create(id);
    const isDirectory = await stat(task.cwd).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isDirectory) return task.cwd;
    throw new PathError(`There is no folder ${task.cwd}`);
  }

  async #create(id: string): Promise<string> {
    await this.#closing.get(id);
    const directory = this.path(id);
    // On the disk of the database, where handing the call to a thread takes longer than the call.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  }

  /** Removes the directory that was created for the task if it is empty. */
  async close(task: Pick<Task, 'id' | 'cwd'>): Promise<void> {
    if (task.cwd !== undefined) return;
    const removal = this.#removeEmpty(task.id);
    // The caller of `close` handles a failure.
    const closing = removal.catch(() => undefined).then(() => void this.#closing.delete(task.id));
    this.#closing.set(task.id, closing);
    await removal;
  }

  async #removeEmpty(taskId: string): Promise<void> {
    try {
      await rmdir(this.path(taskId));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
    }
  }
}
