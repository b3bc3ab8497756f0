import { describe, expect, it } from 'vitest';
import { createModelFetch } from '../../../src/core/outbound/model-fetch.ts';
import { Resolver } from '../../../src/core/outbound/resolver.ts';
import { startLoopbackServer } from './loopback-server.ts';

/** A way out to models that is closed after the test. */
function wayOut(origins: string[] = [], allowed: string[] = [], address = '127.0.0.1') {
  const resolver = new Resolver(async () => [{ address, family: address.includes(':') ? 6 : 4 }]);
  const outbound = createModelFetch(
    () => allowed,
    () => new Set(origins),
    { resolver, stallMs: 300 },
  );
  return { fetch: outbound.fetch, [Symbol.asyncDispose]: () => outbound.close() };
}

describe('a request to a model', () => {
  it('a model request may reach this machine only at the configured origin', async () => {
    await using server = await startLoopbackServer((response) => response.end('near'));
    await using out = wayOut([server.url, `http://model.test:${server.port}`]);
    expect(await (await out.fetch(`${server.url}/v1`)).text()).toBe('near');
    expect(await (await out.fetch(`http://model.test:${server.port}/v1`)).text()).toBe('near');
    for (const url of [
      `http://localhost:${server.port}`,
      `http://127.0.0.2:${server.port}`,
      'http://10.0.0.1',
    ])
      await expect(out.fetch(url), url).rejects.toMatchObject({ fault: 'refused' });
    expect(server.requests).toHaveLength(2);
  });

  it.each(['169.254.169.254', '100.100.100.200', '0.0.0.0', 'fd00:ec2::254', 'fe80::1', '224.0.0.1'])(
    'a model request never reaches the reserved address %s',
    async (address) => {
      await using out = wayOut(['http://model.test'], [], address);
      await expect(out.fetch('http://model.test/v1')).rejects.toMatchObject({ fault: 'refused' });
    },
  );

  it.each(['10.1.2.3', '172.16.0.1', '192.168.1.10', 'fd12::1'])(
    'goes to the private address %s only where outbound.allowPrivate names it',
    async (address) => {
      const host = address.includes(':') ? `[${address}]` : address;
      await using out = wayOut(['http://model.test', `http://${host}`], [], address);
      await expect(out.fetch('http://model.test/v1')).rejects.toMatchObject({ fault: 'refused' });
      await expect(out.fetch(`http://${host}/v1`)).rejects.toMatchObject({ fault: 'refused' });
      const allowed = [`${address}/${address.includes(':') ? 128 : 32}`];
      await using listed = wayOut(['http://model.test'], allowed, address);
      const left = AbortSignal.abort(new Error('allowed'));
      await expect(listed.fetch('http://model.test/v1', { signal: left })).rejects.toThrow('allowed');
    },
  );

  it('a model request follows no redirect', async () => {
    await using server = await startLoopbackServer((response) =>
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    );
    await using out = wayOut([server.url]);
    expect((await out.fetch(server.url, { method: 'POST', body: '{}' })).status).toBe(307);
  });

  it('a model request streams its response', async () => {
    const rest = Promise.withResolvers<void>();
    await using server = await startLoopbackServer((response) => {
      response.write('one');
      void rest.promise.then(() => response.end('two'));
    });
    await using out = wayOut([server.url]);
    const reader = (await out.fetch(server.url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
    rest.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
  });

  it('a model request fails when the response stalls', async () => {
    await using server = await startLoopbackServer((response) => void response.write('one'));
    await using out = wayOut([server.url]);
    const response = await out.fetch(server.url);
    await expect(response.text()).rejects.toMatchObject({ cause: { code: 'UND_ERR_BODY_TIMEOUT' } });
  });

  it('aborts a model request with its caller, which the server notices', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startLoopbackServer((response) => {
      response.on('close', () => closed.resolve());
      response.write('one');
    });
    await using out = wayOut([server.url]);
    const controller = new AbortController();
    const response = await out.fetch(server.url, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(response.text()).rejects.toThrow('enough');
    await closed.promise;
  });

  it('aborts a model request when the daemon stops', async () => {
    await using server = await startLoopbackServer((response) => void response.write('one'));
    const out = wayOut([server.url]);
    const response = await out.fetch(server.url);
    const broken = expect(response.text()).rejects.toMatchObject({ fault: 'network', message: 'svc stops' });
    await out[Symbol.asyncDispose]();
    await broken;
  });

  it('reports an unreachable model as a network failure', async () => {
    const { url } = await (async () => {
      await using server = await startLoopbackServer((response) => response.end());
      return server;
    })();
    await using out = wayOut([url]);
    await expect(out.fetch(url)).rejects.toMatchObject({ fault: 'network' });
  });
});
