import { isInside } from '../../paths/real-path.ts';

/** Removes duplicates and directories nested in others. */
export const outermost = (directories: readonly string[]): string[] =>
  [...new Set(directories)].filter(
    (directory) => !directories.some((other) => other !== directory && isInside(other, directory)),
  );
