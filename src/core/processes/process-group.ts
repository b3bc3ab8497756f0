import { readdir, readFile } from 'node:fs/promises';

/** Marks every process that an agent starts, so that none is lost sight of. */
export const runMarker = 'SVC_RUN';

/** How long a group may take to end by itself after TERM; with the KILL it is gone within two seconds. */
const GRACE_MS = 1500;

const watcher = '{ read -r _ <&3; kill -KILL 0; } </dev/null >/dev/null 2>&1 & exec 3<&-; exec';

/**
 * Arguments of `sh` before a program and its own: a watcher in the same group waits for the end of file descriptor 3, which
 * comes when the daemon dies however it dies, and then kills the group.
 */
export const watchedProgram = ['-c', `${watcher} "$@"`, 'sh'];

/** What a program inherits of the daemon's environment; keys and tokens are not among it. */
const inherited = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|TMPDIR|TZ)$/;

export const inheritedEnvironment = (
  env: Record<string, string | undefined>,
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => inherited.test(name)));

/** Sends a signal to all processes of the group; answers false when there is none left. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    // EPERM: a member changed its user; it is there, and out of reach.
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))
      return false;
    throw error;
  }
}

/** Asks the group to end and kills what is left after the grace; resolves when `exited` does. */
export async function endGroup(
  pid: number,
  exited: Promise<unknown>,
  ask: () => unknown = () => signalGroup(pid, 'SIGTERM'),
): Promise<void> {
  const kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  await ask();
  await exited;
  clearTimeout(kill);
  signalGroup(pid, 'SIGKILL');
}

/**
 * Kills every process whose environment carries the marker with a value that `isGone` accepts: those that left their
 * group, and those of a daemon that was killed. Only Linux shows environments; elsewhere the group is all there is.
 */
export const killMarked = (isGone: (run: string) => boolean): Promise<number> =>
  signalMarked(isGone, 'SIGKILL');

/** Sends a signal to every process whose environment carries an accepted marker; answers how many there were. */
export async function signalMarked(
  isMeant: (run: string) => boolean,
  signal: NodeJS.Signals,
): Promise<number> {
  if (process.platform !== 'linux') return 0;
  let signalled = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const run = await markerOf(name);
    if (run === undefined || !isMeant(run)) continue;
    try {
      process.kill(Number(name), signal);
      signalled++;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
  return signalled;
}

async function markerOf(pid: string): Promise<string | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    const start = environment.indexOf(`${runMarker}=`);
    if (start < 0 || (start > 0 && environment[start - 1] !== '\0')) return undefined;
    const end = environment.indexOf('\0', start);
    return environment.slice(start + runMarker.length + 1, end < 0 ? undefined : end);
  } catch {
    // It ended meanwhile, or belongs to somebody else: not ours either way.
    return undefined;
  }
}
