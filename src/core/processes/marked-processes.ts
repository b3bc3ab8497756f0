import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** The environment variable that marks every process of an agent or tool, so that all of them can be found again. */
export const processMarker = 'SVC_RUN';

/** The processes whose marks are read in one turn of the event loop: well below a millisecond. */
const BATCH = 32;

/** How often it is looked whether what was killed is gone: after one millisecond, as most is, then in up to ten. */
const MAX_LOOKS = 50;
const MAX_LOOK_MS = 10;

const anyPid = () => true;

/**
 * Kills every process whose environment has the marker with a value that `matches` accepts: processes that left their
 * group, and those of a daemon that was killed. Resolves once they are gone, or cannot go for half a second; answers how
 * many there were at first. Looks only at those that `among` says, at all of them unless set. Only Linux exposes
 * environments; elsewhere this does nothing.
 */
export async function killMarked(
  matches: (mark: string) => boolean,
  among: () => (pid: number) => boolean = () => anyPid,
): Promise<number> {
  const found = await signalMarked(matches, 'SIGKILL', among());
  for (let left = found, looks = 0; left > 0 && looks < MAX_LOOKS; looks++) {
    await delay(Math.min(2 ** looks, MAX_LOOK_MS));
    left = await signalMarked(matches, 'SIGKILL', among());
  }
  return found;
}

/** How many processes carry an accepted marker. */
export const countMarked = (matches: (mark: string) => boolean): Promise<number> => signalMarked(matches, 0);

/** Who looks for marked processes. */
interface Search {
  matches: (mark: string) => boolean;
  among: (pid: number) => boolean;
  signal: NodeJS.Signals | 0;
  found: number;
}
/** The searches that the next look at all processes is for, and that look. */
let waiting: { searches: Search[]; look: Promise<void> } | undefined;
let looking: Promise<unknown> = Promise.resolve();

/** Sends a signal to every process whose environment has an accepted marker; returns how many were signalled. */
export async function signalMarked(
  matches: (mark: string) => boolean,
  signal: NodeJS.Signals | 0,
  among: (pid: number) => boolean = anyPid,
): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const search: Search = { matches, among, signal, found: 0 };
  if (!waiting) {
    const searches: Search[] = [];
    // Where many programs end at the same time, they share a look; one that has begun may have missed the newest.
    const look = looking.then(() => {
      waiting = undefined;
      return lookAtAll(searches);
    });
    waiting = { searches, look };
    looking = look.catch(() => undefined);
  }
  waiting.searches.push(search);
  await waiting.look;
  return search.found;
}

async function lookAtAll(searches: readonly Search[]): Promise<void> {
  let looked = 0;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid > 0) || pid === process.pid || !searches.some(({ among }) => among(pid))) continue;
    if (++looked % BATCH === 0) await nextTurn();
    const mark = markOf(name);
    if (mark === undefined) continue;
    for (const search of searches)
      if (search.among(pid) && search.matches(mark) && send(pid, search.signal)) search.found++;
  }
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
