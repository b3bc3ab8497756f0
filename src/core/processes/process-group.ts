import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { workUmask } from './work-umask.ts';

/** The environment variable that marks every process of an agent or tool, so that all of them can be found again. */
export const processMarker = 'SVC_RUN';

/** The processes whose marks are read in one turn of the event loop: well below a millisecond. */
const BATCH = 32;

/** How often it is looked whether what was killed is gone: after one millisecond, as most is, then in up to ten. */
const MAX_LOOKS = 50;
const MAX_LOOK_MS = 10;

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

/**
 * Kills every process whose environment has the marker with a value that `matches` accepts: processes that left their
 * group, and those of a daemon that was killed. Resolves once they are gone, or cannot go for half a second; answers how
 * many there were at first. Only Linux exposes environments; elsewhere this does nothing.
 */
export async function killMarked(matches: (mark: string) => boolean): Promise<number> {
  const found = await signalMarked(matches, 'SIGKILL');
  for (let left = found, looks = 0; left > 0 && looks < MAX_LOOKS; looks++) {
    await delay(Math.min(2 ** looks, MAX_LOOK_MS));
    left = await signalMarked(matches, 'SIGKILL');
  }
  return found;
}

/** How many processes carry an accepted marker. */
export const countMarked = (matches: (mark: string) => boolean): Promise<number> => signalMarked(matches, 0);

/** Sends a signal to every process whose environment has an accepted marker; returns how many were signalled. */
export async function signalMarked(
  matches: (mark: string) => boolean,
  signal: NodeJS.Signals | 0,
): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  let signalled = 0;
  for (const [index, name] of all.entries()) {
    if (index % BATCH === BATCH - 1) await nextTurn();
    const mark = markOf(name);
    if (mark !== undefined && matches(mark) && send(Number(name), signal)) signalled++;
  }
  return signalled;
}

/** False where the process has exited. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Reads what is in memory, which takes a tenth of what handing it to another thread takes. */
function markOf(pid: string): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const start = environment.indexOf(`${processMarker}=`);
    if (start < 0 || (start > 0 && environment[start - 1] !== '\0')) return undefined;
    const end = environment.indexOf('\0', start);
    return environment.slice(start + processMarker.length + 1, end < 0 ? undefined : end);
  } catch {
    // The process has exited or belongs to another user: in both cases not ours.
    return undefined;
  }
}
