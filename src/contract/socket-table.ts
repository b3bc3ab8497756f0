/** One socket of /proc/net/tcp or tcp6 (proc(5)), its addresses as the kernel spells them. */
export interface SocketRow {
  local: string;
  remote: string;
  isListening: boolean;
  isEstablished: boolean;
  uid: number;
  /** 0 for a socket that no process owns any more; the kernel then reports uid 0. */
  inode: number;
}

/** Pure: the caller reads the file. */
export function parseSocketTable(text: string): SocketRow[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', remote = '', state = '', , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    if (!/^[0-9A-F]+:[0-9A-F]{4}$/.test(local)) return [];
    const isEstablished = state === '01';
    return [
      { local, remote, isListening: state === '0A', isEstablished, uid: Number(uid), inode: Number(inode) },
    ];
  });
}

/** An address of this machine and a port as the tables spell them: in tcp, in tcp6, or in both. */
export function formatLoopback(address: string, port: number): string[] {
  const digits = port.toString(16).toUpperCase().padStart(4, '0');
  const [, plain] = /^(?:::ffff:)?(127\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (plain !== undefined) {
    // Words are spelled in the byte order of the machine, which is little-endian wherever Node.js runs.
    const word = plain
      .split('.')
      .reverse()
      .map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'))
      .join('');
    return [`${word}:${digits}`, `0000000000000000FFFF0000${word}:${digits}`];
  }
  return address === '::1' ? [`${'0'.repeat(24)}01000000:${digits}`] : [];
}

/** "All addresses" and a port, as the tables spell them. */
export const formatAnyAddress = (port: number): string[] =>
  ['00000000', '0'.repeat(32)].map((word) => `${word}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
