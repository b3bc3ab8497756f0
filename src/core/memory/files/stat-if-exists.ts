import { lstatSync, type Stats } from 'node:fs';

/** `lstat` of a path; undefined when it is missing or inaccessible. */
export function statIfExists(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export const isDirectory = (path: string): boolean => statIfExists(path)?.isDirectory() ?? false;
