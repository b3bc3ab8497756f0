import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * True where the kernel says that the other end of a loopback connection belongs to the user of this process, or to
 * root. Other users of the machine reach its loopback addresses too. Linux tells (proc(5), /proc/net/tcp); elsewhere
 * nobody is known.
 */
export function isOwnUser({ remoteAddress, remotePort, localPort }: Socket): boolean {
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return false;
  if (!/^(::ffff:)?127\.|^::1$/.test(remoteAddress)) return false;
  const port = (number: number) => number.toString(16).toUpperCase().padStart(4, '0');
  const table = remoteAddress === '::1' || remoteAddress.startsWith('::ffff:') ? ['tcp6', 'tcp'] : ['tcp'];
  const line = new RegExp(
    `^ *\\d+: [0-9A-F]+:${port(remotePort)} [0-9A-F]+:${port(localPort)} [0-9A-F]{2} \\S+ \\S+ \\S+ +(\\d+) `,
    'm',
  );
  for (const name of table) {
    const uid = line.exec(readTable(name))?.[1];
    if (uid !== undefined) return [0, process.getuid?.()].includes(Number(uid));
  }
  return false;
}

function readTable(name: string): string {
  try {
    return readFileSync(`/proc/net/${name}`, 'utf8');
  } catch {
    return '';
  }
}
