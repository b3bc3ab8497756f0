import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { parseSocketTable, type SocketRow, formatLoopback } from '../contract/socket-table.ts';

/** The kernel lists sockets page by page: one that stays can be missed or come twice while others come and go. */
const READINGS = 3;

/**
 * Whether the other end of a loopback connection belongs to the user of this process or to root, because other users of
 * the machine can connect to loopback addresses too. Only Linux reports it (proc(5), /proc/net/tcp); false elsewhere.
 */
export function isOwnUser(socket: Socket, readTable: (name: string) => string = readKernelTable): boolean {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  // The row of the other end has local and remote swapped; the port alone would not identify the owner.
  const theirs = formatLoopback(remoteAddress, remotePort);
  const ours = formatLoopback(localAddress, localPort);
  const isTheirEnd = (row: SocketRow) => theirs.includes(row.local) && ours.includes(row.remote);
  for (let reading = 0; reading < READINGS; reading++) {
    const rows = ['tcp', 'tcp6'].flatMap((name) => parseSocketTable(readTable(name))).filter(isTheirEnd);
    const [row, ...others] = rows;
    if (!row || others.length > 0) continue;
    // A closed connection has no reliable owner.
    if (!row.isEstablished || row.inode === 0) return false;
    return row.uid === 0 || row.uid === process.getuid?.();
  }
  return false;
}

function readKernelTable(name: string): string {
  try {
    return readFileSync(`/proc/net/${name}`, 'utf8');
  } catch {
    return '';
  }
}
