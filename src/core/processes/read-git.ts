import { defaultPath } from './default-path.ts';
import { findProgram } from './find-program.ts';
import type { GitShells } from './git-shells.ts';
import { workUmask } from './work-umask.ts';

const LIMIT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** What no repository may make git do, because its content and its settings may come from anybody. */
const harmless = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.pager=cat'];

export interface GitReading {
  cwd: string;
  env: Record<string, string | undefined>;
  shells: Pick<GitShells, 'run'>;
}

/**
 * The output of a command of git that only reads, in a directory; undefined where it fails, or there is no git. Runs no
 * program that the repository names, and fetches nothing.
 */
export async function readGit(
  args: readonly string[],
  { cwd, env, shells }: GitReading,
): Promise<string | undefined> {
  const program = await findProgram('git', env['PATH'] ?? defaultPath);
  if (program === undefined) return undefined;
  const { PATH, HOME, XDG_CONFIG_HOME } = env;
  const inherited = Object.entries({ PATH, HOME, XDG_CONFIG_HOME }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const call = {
    program,
    args: [...harmless, ...args],
    cwd,
    env: {
      ...Object.fromEntries(inherited),
      GIT_NO_LAZY_FETCH: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
    umask: workUmask(),
    signal: AbortSignal.timeout(LIMIT_MS),
    maxBytes: MAX_BYTES,
  };
  return shells.run(call).then(
    (output) => output.toString(),
    () => undefined,
  );
}
