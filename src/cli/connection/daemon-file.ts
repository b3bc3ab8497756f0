import type { Locations } from '../../contract/locations.ts';
import { readTextFile } from '../input/json-file.ts';

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
