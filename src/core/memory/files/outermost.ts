import { isInside } from '../../paths/real-path.ts';

/** The folders that are not below others of them, each once. */
export const outermost = (folders: readonly string[]): string[] =>
  [...new Set(folders)].filter(
    (folder) => !folders.some((other) => other !== folder && isInside(other, folder)),
  );
