import { mkdirSync } from 'node:fs';
import { rmdir, stat } from 'node:fs/promises';
import type { Task } from '../../contract/task.ts';
import { IdDirectories } from '../paths/id-directories.ts';
import { PathError } from '../paths/path-error.ts';

/** The directories in which agents work: the one that the task names, or one created for the task. */
export class Workspaces extends IdDirectories {
  async open(task: Pick<Task, 'id' | 'cwd'>): Promise<string> {
    if (task.cwd === undefined) {
      const directory = this.path(task.id);
      // On the disk of the database, where handing the call to a thread takes longer than the call.
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return directory;
    }
    const isDirectory = await stat(task.cwd).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isDirectory) return task.cwd;
    throw new PathError(`There is no folder ${task.cwd}`);
  }

  /** Removes the directory that was created for the task if it is empty. */
  async close(task: Pick<Task, 'id' | 'cwd'>): Promise<void> {
    if (task.cwd !== undefined) return;
    try {
      await rmdir(this.path(task.id));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
    }
  }
}
