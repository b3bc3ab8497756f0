import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** Finds the executable of a program in the absolute directories of a PATH. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(':').filter(isAbsolute)) {
    const file = join(directory, name);
    if (await isProgramFile(file)) return file;
  }
  return undefined;
}

/** Whether a path is an executable regular file. */
export async function isProgramFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
