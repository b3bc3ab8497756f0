import { readTextFile } from './json-file.ts';

const LISTENS = '0A';

/**
 * True where the kernel says that whatever listens on the port of this URL belongs to this user, or to root. Linux tells
 * (proc(5), /proc/net/tcp); elsewhere it is never true.
 */
export function isOwnListener(url: string): boolean {
  const { port, protocol } = new URL(url);
  const owners = listenersOn(Number(port || (protocol === 'https:' ? 443 : 80)));
  return owners.length > 0 && owners.every((uid) => uid === 0 || uid === process.getuid?.());
}

/** The users of the sockets that listen on a port of this machine. */
function listenersOn(port: number): number[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = ['tcp', 'tcp6'].flatMap((name) => readTextFile(`/proc/net/${name}`)?.split('\n') ?? []);
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , uid] = line.trim().split(/\s+/);
    return state === LISTENS && local.endsWith(suffix) ? [Number(uid)] : [];
  });
}
