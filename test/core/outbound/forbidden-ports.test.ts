import { describe, expect, it } from 'vitest';
import { createModelFetch } from '../../../src/core/outbound/model-fetch.ts';
import { checkUrl } from '../../../src/core/outbound/outbound-fetch.ts';
import { Resolver } from '../../../src/core/outbound/resolver.ts';

describe('ports of other protocols', () => {
  it.each([
    22, 25, 445, 1433, 1521, 1883, 2181, 3306, 3389, 5432, 5672, 5900, 6379, 9042, 9092, 11211, 26379, 27017,
  ])('refuses port %i, as %s', (port) => {
    for (const url of [`http://example.com:${port}`, `https://[2606:4700::1]:${port}/x`])
      expect(() => checkUrl(url, [])).toThrow(/not a port for HTTP/);
    expect(() => checkUrl(`http://127.0.0.1:${port}`, ['127.0.0.0/8'])).toThrow(/not a port for HTTP/);
  });

  it.each(['', ':80', ':443', ':3000', ':4310', ':8080', ':8443', ':11434', ':40000'])(
    'allows HTTP on %s',
    (port) => expect(() => checkUrl(`http://example.com${port}`, [])).not.toThrow(),
  );

  it('refuses them for a configured model provider without a lookup', async () => {
    const resolver = new Resolver(() => Promise.reject(new Error('must not be looked up')));
    const outbound = createModelFetch(
      () => [],
      () => new Set(['http://model.test:6379']),
      { resolver },
    );
    await expect(outbound.fetch('http://model.test:6379/v1')).rejects.toMatchObject({ fault: 'refused' });
    await outbound.close();
  });
});
