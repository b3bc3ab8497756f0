import { stat } from 'node:fs/promises';

/** Whether there is a directory at the path, which may be a link to one. */
export const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
