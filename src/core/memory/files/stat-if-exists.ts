import { lstatSync, type Stats } from 'node:fs';

/** What is at a path, links not followed; undefined for nothing, and for what may not be looked at. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export const isFolder = (path: string): boolean => lookAt(path)?.isDirectory() ?? false;
