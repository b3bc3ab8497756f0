import { describe, expect, it } from 'vitest';
import { mayConnect } from '../../../src/core/outbound/address-rules.ts';
import { isLoopbackHost } from '../../../src/core/text/loopback-host.ts';

const refused: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3'],
  'this machine': ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '::'],
  'private IPv4': ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.254'],
  'link-local, where clouds keep their metadata': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1'],
  'cloud metadata over IPv6': ['fd00:ec2::254'],
  'private IPv6': ['fc00::1', 'fdff:ffff::1', 'fec0::1'],
  'documentation and benchmarks': ['192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '2001:db8::1'],
  'multicast, reserved, broadcast': ['224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  'IPv4 inside IPv6': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::ffff:10.0.0.1'],
  'IPv4 inside IPv6, old form': ['::127.0.0.1', '::a00:1'],
  'translated by NAT64': ['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::a00:1'],
  'tunnelled by 6to4 and Teredo': ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2001:0:1::1'],
  'translated without state, segment routing, documentation': ['::ffff:0:7f00:1', '5f00::1', '3fff::1'],
  'a zone of a link': ['fe80::1%eth0', 'fe80::1%1'],
  'no address': [
    '',
    'localhost',
    'example.com',
    '127.1',
    '0x7f000001',
    '2130706433',
    '1.2.3.4.5',
    '1.2.3.256',
  ],
};

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.128.0.1',
  '169.253.1.1',
  '192.167.1.1',
];
const openSix = ['2606:4700:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8'];

describe('mayConnect', () => {
  it.each(Object.entries(refused))('refuses %s', (_, addresses) => {
    expect(addresses.filter((address) => mayConnect(address, []))).toEqual([]);
  });

  it('allows public addresses', () => {
    expect([...open, ...openSix].filter((address) => !mayConnect(address, []))).toEqual([]);
  });

  it.each([
    ['127.0.0.1', '127.0.0.0/8'],
    ['10.1.2.3', '10.0.0.0/8'],
    ['::1', '::1/128'],
    ['fd12::1', 'fd00::/8'],
    ['::ffff:10.1.2.3', '10.0.0.0/8'],
  ])('allows %s when %s is allowed', (address, range) => {
    expect(mayConnect(address, [range])).toBe(true);
    expect(mayConnect(address, ['192.168.7.0/24'])).toBe(false);
  });

  it('allows nothing outside an allowed range', () => {
    expect(mayConnect('127.0.0.2', ['127.0.0.1/32'])).toBe(false);
    expect(mayConnect('::1', ['127.0.0.0/8'])).toBe(false);
    expect(mayConnect('169.254.169.254', ['127.0.0.0/8', '10.0.0.0/8'])).toBe(false);
  });
});

describe('isLoopbackHost', () => {
  it('recognizes the loopback names of this machine and nothing else', () => {
    const hosts = [
      '127.0.0.1',
      '127.8.8.8',
      'localhost',
      '::1',
      '0.0.0.0',
      '::',
      '10.0.0.1',
      'example.com',
      '127.evil.com',
    ];
    expect(hosts.filter(isLoopbackHost)).toEqual(['127.0.0.1', '127.8.8.8', 'localhost', '::1']);
  });
});
