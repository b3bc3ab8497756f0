import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** The file of a program in the absolute folders of a PATH. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(':').filter(isAbsolute)) {
    const file = join(folder, name);
    if (await isProgramFile(file)) return file;
  }
  return undefined;
}

export async function isProgramFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
