import { BlockList, isIP } from 'node:net';

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits = ''] = subnet.split('/');
    list.addSubnet(address, Number(bits), family(address));
  }
  return list;
}

/**
 * Everything that is not a public unicast address (IANA special-purpose registries). IPv4-mapped addresses are looked up
 * as what they hold: a BlockList takes every IPv4 address for one of ::ffff:0:0/96.
 */
const refused = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);

/** Making a list costs more than the rest of a request: one for each list of the settings, for as long as that is kept. */
const allowedLists = new WeakMap<readonly string[], BlockList>();

function allowedList(allowed: readonly string[]): BlockList {
  let list = allowedLists.get(allowed);
  if (!list) allowedLists.set(allowed, (list = listOf(allowed)));
  return list;
}

/** The IPv4 address inside an IPv4-mapped IPv6 one, else the address itself. */
function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical(address)) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((part) => [part >> 8, part & 0xff]).join('.');
}

const canonical = (address: string) => new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);

/** The one spelling of an address; an IPv4-mapped one is the IPv4 address. What is no address stays as it is. */
export function canonicalAddress(address: string): string {
  const plain = unmapped(address);
  return isIP(plain) === 6 ? canonical(plain) : plain;
}

/** True for a public address, and for one inside the ranges that an administrator allowed. */
export function mayConnect(address: string, allowed: readonly string[]): boolean {
  if (isIP(address) === 0) return false;
  const plain = unmapped(address);
  if (allowed.length > 0 && allowedList(allowed).check(plain, family(plain))) return true;
  return !refused.check(plain, family(plain));
}

/** True for a name or address by which only this machine reaches itself. */
export function isLoopbackHost(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === 'localhost' || host === '::1';
}
