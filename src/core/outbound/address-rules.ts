import { BlockList, isIP } from 'node:net';

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/');
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return list;
}

/**
 * Everything that is not a public unicast address (IANA special-purpose registries). IPv4-mapped addresses are checked as
 * the IPv4 address that they contain, because a BlockList matches every IPv4 address against ::ffff:0:0/96.
 */
const refused = [
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
];

/** Building a list costs more than the rest of a request, so lists are cached per array. */
const lists = new WeakMap<readonly string[], BlockList>();

function cachedList(subnets: readonly string[]): BlockList {
  let list = lists.get(subnets);
  if (!list) lists.set(subnets, (list = listOf(subnets)));
  return list;
}

/** Unwraps an IPv4-mapped IPv6 address; returns other addresses unchanged. */
function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical(address)) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((part) => [part >> 8, part & 0xff]).join('.');
}

const canonical = (address: string) => new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1);

/** Normalizes an address, and unwraps IPv4-mapped ones; returns other text unchanged. */
export function canonicalAddress(address: string): string {
  const plain = unmapped(address);
  return isIP(plain) === 6 ? canonical(plain) : plain;
}

/** Whether an address is public or in a range that an administrator allowed. */
export function mayConnect(address: string, allowed: readonly string[]): boolean {
  if (isIP(address) === 0) return false;
  const plain = unmapped(address);
  if (allowed.length > 0 && cachedList(allowed).check(plain, family(plain))) return true;
  return !cachedList(refused).check(plain, family(plain));
}

/** Whether an address is one of these, or in one of these ranges. */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (ranges.length === 0 || isIP(address) === 0) return false;
  const plain = unmapped(address);
  return cachedList(ranges).check(plain, family(plain));
}
