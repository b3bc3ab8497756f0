import { parseSocketTable, formatAnyAddress, formatLoopback } from '../../contract/socket-table.ts';
import { readTextFile } from '../input/json-file.ts';

/** What the kernel says of whoever listens at a loopback URL: this user or root, somebody else, or nothing. */
export type Listener = 'own' | 'foreign' | 'unknown';

/** Linux tells (proc(5), /proc/net/tcp); elsewhere nothing is known. */
export function listenerAt(url: string): Listener {
  const { hostname, port, protocol } = new URL(url);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  const places = [...formatLoopback(hostname.replace(/^\[|\]$/g, ''), number), ...formatAnyAddress(number)];
  const tables = ['tcp', 'tcp6'].map((name) => readTextFile(`/proc/net/${name}`));
  if (tables.every((text) => text === undefined)) return 'unknown';
  const rows = tables.flatMap((text) => parseSocketTable(text ?? ''));
  const listening = rows.filter((row) => row.isListening && places.includes(row.local));
  const isOurs = listening.every(({ uid }) => uid === 0 || uid === process.getuid?.());
  return listening.length > 0 && isOurs ? 'own' : 'foreign';
}
