import { parseSocketTable, formatAnyAddress, formatLoopback } from '../../contract/socket-table.ts';
import { readTextFile } from '../input/json-file.ts';

/** Who listens at a loopback URL according to the kernel: this user or root, another user, or unknown. */
export type Listener = 'own' | 'foreign' | 'unknown';

/** Known on Linux only, from /proc/net/tcp (proc(5)). */
export function listenerAt(url: string): Listener {
  const { hostname, port, protocol } = new URL(url);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  const addresses = [
    ...formatLoopback(hostname.replace(/^\[|\]$/g, ''), number),
    ...formatAnyAddress(number),
  ];
  const tables = ['tcp', 'tcp6'].map((name) => readTextFile(`/proc/net/${name}`));
  if (tables.every((text) => text === undefined)) return 'unknown';
  const rows = tables.flatMap((text) => parseSocketTable(text ?? ''));
  const listening = rows.filter((row) => row.isListening && addresses.includes(row.local));
  const isOurs = listening.every(({ uid }) => uid === 0 || uid === process.getuid?.());
  return listening.length > 0 && isOurs ? 'own' : 'foreign';
}
