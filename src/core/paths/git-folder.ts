import { foldName } from './fold-name.ts';

const segmentsOf = (place: string) => place.split('/').map(foldName);
const isGit = (segment: string) => segment === '.git' || segment === 'git~1';

/**
 * Whether a place is the `.git` of a repository or in it. Hooks, settings and what `.git` as a file points to run programs
 * at the next git command, so no tool writes there, in whatever mode: git itself does.
 */
export const isInGitFolder = (place: string): boolean => segmentsOf(place).some(isGit);

/** Whether what is written here runs at a git command: hooks and settings, in a bare repository too. */
export function isRunByGit(place: string): boolean {
  const segments = segmentsOf(place);
  return segments.some(
    (segment, at) =>
      (isGit(segment) && segments.slice(at + 1).some(isHookOrSetting)) ||
      (segment.endsWith('.git') && isHookOrSetting(segments[at + 1] ?? '')),
  );
}

const isHookOrSetting = (segment: string) => /^(hooks|config(\.worktree)?)$/.test(segment);
