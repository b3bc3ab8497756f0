import { workUmask } from './work-umask.ts';

/** How long a group may take to exit after SIGTERM, so that with the SIGKILL it is gone within two seconds. */
const GRACE_MS = 1500;

const watcher = '{ read -r _ <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 & exec 3<&-; exec';

/**
 * A watcher in the same group waits until file descriptor 3 closes, which happens however the daemon dies, and then kills
 * the group. The first argument is the umask, because files of the program are not private to the daemon.
 */
export const watchScript = ['-c', `umask "$1"; shift; ${watcher} "$@"`, 'sh'];

/** The arguments of `sh` that run a program with its arguments so that it ends with the daemon. */
export const watched = (argv: readonly string[], umask = workUmask()): string[] => [
  ...watchScript,
  umask.toString(8),
  ...argv,
];

/** The variables that a program inherits from the daemon's environment; keys and tokens are not among them. */
const inherited = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|TMPDIR|TZ)$/;

/** The part of the daemon's environment that a program may inherit. */
export const inheritedEnvironment = (
  env: Record<string, string | undefined>,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => inherited.test(name)));

/** Sends a signal to all processes of the group; returns false if none can be signalled. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // EPERM: a member runs as another user and cannot be signalled.
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))
      return false;
    throw error;
  }
}

/** Asks the group to exit and kills what is left after the grace period; resolves when `exited` does. */
export async function terminateGroup(
  pid: number,
  exited: Promise<unknown>,
  requestExit: () => unknown = () => signalGroup(pid, 'SIGTERM'),
): Promise<void> {
  const kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  await requestExit();
  await exited;
  clearTimeout(kill);
  signalGroup(pid, 'SIGKILL');
}
