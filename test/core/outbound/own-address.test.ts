import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createOutboundFetch } from '../../../src/core/outbound/outbound-fetch.ts';
import { OwnAddress } from '../../../src/core/outbound/own-address.ts';
import { Resolver } from '../../../src/core/outbound/resolver.ts';
import { startLoopbackServer } from './loopback-server.ts';

const ask = { method: 'GET', timeoutMs: 5000, maxBytes: 1000 } as const;
const ranges = ['127.0.0.0/8', '::1/128', '0.0.0.0/8', '::/128'];

/** A way out that may reach this machine, and knows under which port the daemon listens. */
function openOutbound(own: OwnAddress, addresses: Record<string, string[]> = {}) {
  const resolver = new Resolver(async (host) =>
    (addresses[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
  const outbound = createOutboundFetch(() => ranges, resolver, own);
  return { ...outbound, [Symbol.asyncDispose]: () => outbound.close() };
}

describe('requests to the daemon itself', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://127.0.0.9:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'https://127.0.0.1:PORT/',
    'http://public.example:PORT/',
  ])('refuses a request to the daemon by %s', async (template) => {
    await using server = await startLoopbackServer((response) => response.end('us'));
    const own = new OwnAddress(() => undefined);
    await using outbound = openOutbound(own, { 'public.example': ['127.0.0.1'] });
    const url = template.replace('PORT', String(server.port));
    if (!template.includes('[') && template.startsWith('http:'))
      expect(await outbound.fetch(`http://127.0.0.1:${server.port}/`, ask)).toMatchObject({ text: 'us' });
    const before = server.requests.length;
    own.port = server.port;
    await expect(outbound.fetch(url, ask)).rejects.toMatchObject({ fault: 'refused' });
    expect(server.requests).toHaveLength(before);
  });

  it('refuses a request to the daemon by a name that resolved to another address before', async () => {
    await using server = await startLoopbackServer((response) => response.end('us'));
    const own = new OwnAddress(() => undefined);
    own.port = server.port;
    const addresses: Record<string, string[]> = { 'rebound.example': ['127.0.0.1', '203.0.113.1'] };
    await using outbound = openOutbound(own, addresses);
    for (const found of [['127.0.0.1', '203.0.113.1'], ['127.0.0.1'], ['::1']]) {
      addresses['rebound.example'] = found;
      const asked = outbound.fetch(`http://rebound.example:${server.port}/`, ask);
      await expect(asked).rejects.toMatchObject({ fault: 'refused' });
    }
    expect(server.requests).toEqual([]);
  });

  it.each([
    'https://svc.example.org/api/health',
    'https://SVC.example.org./',
    'https://svc.example.org:443/',
    'http://svc.example.org:4310/',
  ])('refuses a request to the daemon by its public name: %s', (url) => {
    const own = new OwnAddress(() => 'https://svc.example.org/');
    own.port = 4310;
    expect(() => openOutbound(own).check(url)).toThrow('that is svc itself');
  });
});

describe('requests beside the daemon', () => {
  it('allows another server on this machine, also under the same name', async () => {
    await using server = await startLoopbackServer((response) => response.end('another'));
    const own = new OwnAddress(() => 'http://127.0.0.1:4310');
    own.port = 4310;
    await using outbound = openOutbound(own, { 'other.example': ['127.0.0.1'] });
    for (const host of ['127.0.0.1', 'other.example'])
      expect(await outbound.fetch(`http://${host}:${server.port}/`, ask)).toMatchObject({ text: 'another' });
    expect(() => outbound.check('http://93.184.215.14:4310/')).not.toThrow();
    expect(() => outbound.check('https://example.org/')).not.toThrow();
  });
});

it('recognizes every address of this machine', () => {
  const own = new OwnAddress(() => undefined);
  for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    expect(own.isHere(address)).toBe(true);
  for (const address of ['93.184.215.14', '10.99.98.97', '2001:db8::1', 'svc.example.org', ''])
    expect(own.isHere(address)).toBe(false);
});
