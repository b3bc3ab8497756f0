import { foldName } from './fold-name.ts';

const segmentsOf = (path: string) => path.split('/').map(foldName);
const isGit = (segment: string) => segment === '.git' || segment === 'git~1';

/**
 * Whether a path is the `.git` of a repository or inside it. Hooks, settings and the target of a `.git` file can run
 * programs at the next git command, so tools never write there in any mode; only git itself does.
 */
export const isInGitDirectory = (path: string): boolean => segmentsOf(path).some(isGit);

/** Whether a path is a git hook or configuration file, in a bare repository too: git runs what these contain. */
export function isGitHookOrConfig(path: string): boolean {
  const segments = segmentsOf(path);
  return segments.some(
    (segment, at) =>
      (isGit(segment) && segments.slice(at + 1).some(isHookOrConfig)) ||
      (segment.endsWith('.git') && isHookOrConfig(segments[at + 1] ?? '')),
  );
}

const isHookOrConfig = (segment: string) => /^(hooks|config(\.worktree)?)$/.test(segment);
