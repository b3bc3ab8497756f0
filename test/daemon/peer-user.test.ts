import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isOwnUser } from '../../src/daemon/peer-user.ts';

const own = process.getuid?.() ?? 0;
const other = own + 1000;
const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
/** A line of /proc/net/tcp: from 127.0.0.1:40000 (9C40) to 127.0.0.1:4310 (10D6) unless said otherwise. */
const line = ({ local = '0100007F:9C40', remote = '0100007F:10D6', state = '01', uid = own, inode = 7 }) =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0`;
const socket = (change: object = {}) =>
  ({
    remoteAddress: '127.0.0.1',
    remotePort: 40_000,
    localAddress: '127.0.0.1',
    localPort: 4310,
    ...change,
  }) as Socket;
const tables =
  (tcp: string[], tcp6: string[] = []) =>
  (name: string) =>
    [head, ...(name === 'tcp' ? tcp : tcp6)].join('\n');

describe('whether a peer is our own user', () => {
  it.each<[string, boolean, Socket, string[], string[]]>([
    ['is ours', true, socket(), [line({})], []],
    ['is root', true, socket(), [line({ uid: 0 })], []],
    ['is another user', false, socket(), [line({ uid: other })], []],
    ['is not in the table', false, socket(), [], []],
    [
      'is another user beside an ended connection of the same port from another address',
      false,
      socket(),
      [line({ local: '0200007F:9C40', state: '06', uid: 0, inode: 0 }), line({ uid: other })],
      [],
    ],
    ['has ended already', false, socket(), [line({ state: '06', uid: 0, inode: 0 })], []],
    ['is nobody any more', false, socket(), [line({ uid: 0, inode: 0 })], []],
    [
      'is at our own end of the line only',
      false,
      socket(),
      [line({ local: '0100007F:10D6', remote: '0100007F:9C40' })],
      [],
    ],
    ['is there twice', false, socket(), [line({}), line({ uid: other })], []],
    ['comes from elsewhere', false, socket({ remoteAddress: '10.0.0.1' }), [line({})], []],
    [
      'is ours over IPv6',
      true,
      socket({ remoteAddress: '::1', localAddress: '::1' }),
      [],
      [line({ local: `${'0'.repeat(24)}01000000:9C40`, remote: `${'0'.repeat(24)}01000000:10D6` })],
    ],
  ])('checks the owner of a peer that %s', (_, expected, peer, tcp, tcp6) => {
    expect(isOwnUser(peer, tables(tcp, tcp6))).toBe(expected);
  });

  it('reads the table again where it misses the peer, as it can while other connections end', () => {
    const readings = [[], [line({}), line({})], [line({})]].map((rows) => tables(rows));
    expect(
      isOwnUser(socket(), (name) => (name === 'tcp' ? readings.shift() : readings[0])?.(name) ?? ''),
    ).toBe(true);
    expect(readings).toEqual([]);
  });

  it('the peer user is unknown when the kernel does not report it', () => {
    expect(isOwnUser(socket(), () => '')).toBe(false);
  });
});
