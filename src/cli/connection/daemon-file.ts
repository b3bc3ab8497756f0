import type { Locations } from '../../contract/locations.ts';
import { readTextFile } from '../input/json-file.ts';

/** The daemon of this home, as it described itself at its start. */
export interface DaemonDescription {
  pid: number;
  url: string;
  version: string;
  startedAt: string;
}

/** The description of the daemon that runs; undefined when there is none, or its process is gone. */
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
    // A daemon that starts at this moment has written half of it.
    return undefined;
  }
}

/** Whether a process with this id runs, whoever it belongs to. */
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

/** A process that has ended stays visible until its parent asks, which in a container may be never. */
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
