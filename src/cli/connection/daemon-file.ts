import type { Locations } from '../../contract/locations.ts';
import type { StartStep } from '../../contract/start-step.ts';
import { readTextFile } from '../input/json-file.ts';
import { escapeLine } from '../output/escape-text.ts';

const { statSync } = process.getBuiltinModule('node:fs');

/** The daemon of this home, as it recorded itself at startup. */
export interface DaemonDescription {
  pid: number;
  url: string;
  version: string;
  startedAt: string;
}

/** The description of the running daemon; undefined if there is none. */
export function readDaemonFile({ daemonFile }: Locations): DaemonDescription | undefined {
  const text = readTextFile(daemonFile);
  if (text === undefined) return undefined;
  const description = parse(text);
  return description && isAlive(description.pid) ? description : undefined;
}

/** A daemon that says what it does before it accepts requests. */
export interface StartingDaemon {
  pid: number;
  step: StartStep;
  /** When it last gave a sign of life, by the clock of the file system, in milliseconds. */
  touchedAt: number;
}

/** A start touches its file every second; what is older may be of a process whose ID another one has now. */
const FRESH_MS = 30_000;

/** The same, if it gave a sign of life in the last seconds. */
export function readFreshStart(locations: Locations): StartingDaemon | undefined {
  const starting = readStartingDaemon(locations);
  return starting && Date.now() - starting.touchedAt < FRESH_MS ? starting : undefined;
}

/** The daemon of this home that is starting and takes longer than usual; undefined if there is none. */
export function readStartingDaemon({ daemonFile }: Locations): StartingDaemon | undefined {
  const text = readTextFile(daemonFile);
  const touchedAt = statSync(daemonFile, { throwIfNoEntry: false })?.mtimeMs;
  if (text === undefined || touchedAt === undefined) return undefined;
  try {
    const { pid, starting } = JSON.parse(text) as { pid?: number; starting?: Partial<StartStep> };
    if (pid === undefined || starting?.text === undefined || !isAlive(pid)) return undefined;
    const { text: doing, done = 0, total = 0 } = starting;
    return { pid, step: { text: escapeLine(doing), done, total }, touchedAt };
  } catch {
    // An older daemon that is just starting has only written half of the file.
    return undefined;
  }
}

function parse(text: string): DaemonDescription | undefined {
  try {
    const { pid, url, version, startedAt } = JSON.parse(text) as Partial<DaemonDescription>;
    if (pid === undefined || url === undefined || !URL.canParse(url)) return undefined;
    return { pid, url: reachable(url), version: version ?? 'unknown', startedAt: startedAt ?? '' };
  } catch {
    // A daemon that is just starting has only written half of the file.
    return undefined;
  }
}

/** Whether a process with this ID runs, under any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !isZombie(pid);
}

/** Whether it is a process that this user may send signals to. */
export function isOwnProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** An exited process stays visible until its parent waits for it, which in a container may be never. */
function isZombie(pid: number): boolean {
  const stat = process.platform === 'linux' ? readTextFile(`/proc/${pid}/stat`) : undefined;
  return stat !== undefined && stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}

/** An address that means "all of mine" is reached over loopback. */
export function reachable(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '[::1]' : hostname;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}
