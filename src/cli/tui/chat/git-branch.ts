import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

const SHORT_HASH = 7;

/** The branch that is checked out in a directory, or the beginning of the commit; undefined outside of Git. */
export function gitBranch(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const head = readText(join(gitFolder(at), 'HEAD'));
    if (head !== undefined)
      return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.trim().slice(0, SHORT_HASH);
    if (dirname(at) === at) return undefined;
  }
}

/** In a linked worktree, `.git` is a file that names the directory. */
function gitFolder(folder: string): string {
  const path = join(folder, '.git');
  const target = /^gitdir: (.+)$/m.exec(readText(path) ?? '')?.[1];
  if (target === undefined) return path;
  return isAbsolute(target) ? target : join(folder, target);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
