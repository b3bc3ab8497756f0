import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createOutboundFetch } from '../../../../src/core/outbound/outbound-fetch.ts';
import { MAX_OUTPUT, ToolFailure } from '../../../../src/core/tools/tool.ts';
import { webFetchTool } from '../../../../src/core/tools/internet/web-fetch.ts';
import { startLoopbackServer } from '../../outbound/loopback-server.ts';
import { runTool } from './run-tool.ts';

/** The tool with a real outbound fetch, which may reach the allowed private addresses. */
function webFetch(allowed = ['127.0.0.1/32'], timeoutMs = 10_000) {
  const outbound = createOutboundFetch(() => allowed);
  const tool = webFetchTool({ outbound, timeoutMs });
  return {
    tool,
    read: (url: string, args: object = {}, signal?: AbortSignal) => runTool(tool, { url, ...args }, signal),
    [Symbol.asyncDispose]: () => outbound.close(),
  };
}

const serve = (type: string, body: string | Buffer) =>
  startLoopbackServer((response) =>
    response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body),
  );

describe('web_fetch', () => {
  it('returns a page as text with its title and URL, marked as untrusted', async () => {
    await using server = await serve('text/html', '<title>T</title><h1>H</h1><p>a <a href="/b">b</a>');
    await using web = webFetch();
    expect(await web.read(`${server.url}/x#part`)).toEqual({
      content: `Title: T\nURL: ${server.url}/x#part\n\n# H\n\na [b](${server.url}/b)`,
      origin: 'A web page',
    });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'GET', path: '/x' });
    expect(Object.keys(request?.headers ?? {})).not.toContain('cookie');
    expect(Object.keys(request?.headers ?? {})).not.toContain('authorization');
    expect(Object.keys(request?.headers ?? {})).not.toContain('referer');
  });

  it.each([
    ['application/json; charset=utf-8', '{"a":  1}'],
    ['application/vnd.api+json', '{"a":  1}'],
    ['text/plain', 'a  <b>\n'],
    ['text/markdown', '# a'],
    ['application/rss+xml', '<rss/>'],
    ['', 'just text'],
  ])('returns a body of the type %j unchanged', async (type, body) => {
    await using server = await serve(type, body);
    await using web = webFetch();
    expect((await web.read(server.url)).content).toBe(`URL: ${server.url}/\n\n${body}`);
  });

  it('treats a body without a type as HTML if it looks like HTML', async () => {
    await using server = await serve('', '\n<!DOCTYPE html><p>one<p>two');
    await using web = webFetch();
    expect((await web.read(server.url)).content).toContain('\n\none\n\ntwo');
  });

  it('decodes a page by its declared charset', async () => {
    const body = Buffer.from('<meta charset="windows-1252"><p>caf\xe9 \x93q\x94', 'latin1');
    await using server = await serve('text/html', body);
    await using web = webFetch();
    expect((await web.read(server.url)).content).toContain('café “q”');
  });

  it.each(['image/png', 'application/pdf', 'application/octet-stream', 'video/mp4'])(
    'web_fetch refuses the type %s',
    async (type) => {
      await using server = await serve(type, 'PNG');
      await using web = webFetch();
      await expect(web.read(server.url)).rejects.toMatchObject({
        name: 'ToolFailure',
        message: `${server.url}/ is not text (${type}). Only HTML, JSON and other text can be read.`,
      });
    },
  );

  it('refuses binary data that is declared as text', async () => {
    await using server = await serve('text/plain', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
    await using web = webFetch();
    await expect(web.read(server.url)).rejects.toThrow('is not text');
  });

  it('reports a page without text', async () => {
    await using server = await serve('text/html', '<div id="app"></div><script>render()</script>');
    await using web = webFetch();
    expect((await web.read(server.url)).content).toContain('The page has no text');
  });

  it.each([404, 403, 500, 304])('web_fetch fails on the status %i', async (status) => {
    await using server = await startLoopbackServer((response) => response.writeHead(status).end('sorry'));
    await using web = webFetch();
    await expect(web.read(`${server.url}/x`)).rejects.toThrow(`answered ${status} for ${server.url}/x`);
  });
});

describe('web_fetch on a long page', () => {
  it('returns parts that join to the complete page', async () => {
    const text = '😀'.repeat(10_000);
    await using server = await serve('text/plain', text);
    await using web = webFetch();
    let whole = '';
    let offset: string | undefined = '0';
    while (offset !== undefined) {
      const { content } = await web.read(server.url, { offset: Number(offset), maxCharacters: 5001 });
      const [head, ...part] = content.split('\n\n');
      whole += part.join('\n\n');
      offset = /continue with offset (\d+)/.exec(head ?? '')?.[1];
    }
    expect(whole).toBe(text);
    expect(server.requests.length).toBeGreaterThan(3);
    expect((await web.read(server.url, { offset: 1_000_000 })).content).toContain(
      `The page ends after ${text.length} characters.`,
    );
  });

  it('web_fetch stays within the output limit', async () => {
    const title = 't'.repeat(10_000);
    await using server = await serve('text/html', `<title>${title}</title>${'x '.repeat(100_000)}`);
    await using web = webFetch();
    const url = `${server.url}/?${'q'.repeat(1900)}`;
    expect((await web.read(url)).content.length).toBeLessThan(23_000);
    const { content } = await web.read(url, { maxCharacters: 45_000 });
    expect(content.length).toBeGreaterThan(45_000);
    expect(content.length).toBeLessThanOrEqual(MAX_OUTPUT);
    expect(web.tool.input.safeParse({ url, maxCharacters: 45_001 }).success).toBe(false);
  });
});

describe('web_fetch on a redirect', () => {
  it.each([301, 302, 303, 307, 308])('web_fetch follows the redirect status %i', async (status) => {
    await using server = await startLoopbackServer((response, { path }) =>
      path === '/to/here'
        ? response.end('here')
        : response.writeHead(status, { location: 'to/here', 'set-cookie': 'a=b' }).end(),
    );
    await using web = webFetch();
    expect((await web.read(server.url)).content).toBe(`URL: ${server.url}/to/here\n\nhere`);
    expect(server.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  it('web_fetch follows at most five redirects', async () => {
    await using server = await startLoopbackServer((response, { path }) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    await using web = webFetch();
    expect((await web.read(`${server.url}/5`)).content).toContain('there');
    await expect(web.read(`${server.url}/6`)).rejects.toThrow('redirects more than 5 times');
    expect(server.requests).toHaveLength(12);
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data/', 'it is not a public address'],
    ['http://127.0.0.2:8080/', 'it is not a public address'],
    ['http://[::1]/', 'it is not a public address'],
    ['//10.0.0.1/', 'it is not a public address'],
    ['file:///etc/passwd', 'Requests over file: are not allowed'],
    ['http://me:secret@example.com/', 'A user name or password in a URL is not allowed'],
    ['http://[', 'redirects to something that is not a URL'],
  ])('web_fetch refuses a redirect to %s', async (location, message) => {
    await using server = await startLoopbackServer((response) => response.writeHead(302, { location }).end());
    await using web = webFetch();
    const reading = web.read(server.url);
    await expect(reading).rejects.toBeInstanceOf(ToolFailure);
    await expect(reading).rejects.toThrow(message);
    expect(server.requests).toHaveLength(1);
  });
});

describe('the URL of web_fetch', () => {
  it('refuses URLs of this machine, its network or cloud metadata', async () => {
    await using server = await serve('text/plain', 'inside');
    await using web = webFetch([]);
    for (const url of [
      server.url,
      `http://localhost:${server.port}`,
      `http://2130706433:${server.port}`,
      `http://[::ffff:127.0.0.1]:${server.port}`,
      'http://10.0.0.1',
      'http://192.168.1.1',
      'http://169.254.169.254/latest/meta-data',
      'http://[fd00:ec2::254]/',
    ])
      await expect(web.read(url), url).rejects.toMatchObject({
        name: 'ToolFailure',
        message: expect.stringContaining('it is not a public address') as string,
      });
    expect(server.requests).toEqual([]);
  });

  it.each(['', 'example.com', 'file:///etc/passwd', 'ftp://example.com', 'data:text/plain,x', 'http://['])(
    'refuses a URL that is not http or https before the call runs: %j',
    async (url) => {
      await using web = webFetch();
      await expect(web.read(url)).rejects.toMatchObject({
        name: 'ToolFailure',
        message: 'Expected a URL that begins with http:// or https://',
      });
    },
  );

  it('refuses a URL with a user name or password', async () => {
    await using web = webFetch();
    await expect(web.read('http://me:secret@127.0.0.1:1/')).rejects.toThrow(
      'A user name or password in a URL is not allowed',
    );
  });
});

describe('web_fetch on a malicious server', () => {
  it('times out if the server does not respond or trickles', async () => {
    await using server = await startLoopbackServer((response, { path }) => {
      if (path === '/silent') return;
      response.writeHead(200, { 'content-type': 'text/html' });
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    await using web = webFetch(undefined, 200);
    for (const path of ['/silent', '/trickle'])
      await expect(web.read(server.url + path)).rejects.toMatchObject({
        name: 'ToolFailure',
        message: expect.stringMatching(/did not answer (within 0.2 seconds|in time)/) as string,
      });
  });

  it('applies one timeout to all redirects', async () => {
    await using server = await startLoopbackServer((response, { path }) => {
      setTimeout(() => response.writeHead(302, { location: `${path}x` }).end(), 150);
    });
    await using web = webFetch(undefined, 400);
    await expect(web.read(server.url)).rejects.toThrow(/did not answer (within 0.4 seconds|in time)/);
    expect(server.requests.length).toBeLessThan(6);
  });

  it('stops reading an oversized body, compressed or not', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'));
    let isCut = false;
    await using server = await startLoopbackServer((response, { path }) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        ...(path === '/bomb' && { 'content-encoding': 'gzip' }),
      });
      if (path === '/bomb') return response.end(bomb);
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', flood).on('close', () => (isCut = true));
      return flood();
    });
    await using web = webFetch();
    for (const path of ['/bomb', '/flood'])
      await expect(web.read(server.url + path)).rejects.toMatchObject({
        name: 'ToolFailure',
        message: `${server.url}${path} is longer than 4 MiB`,
      });
    await expect.poll(() => isCut).toBe(true);
  });

  it('web_fetch fails if the connection breaks', async () => {
    await using server = await startLoopbackServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100' });
      response.write('half', () => response.socket?.resetAndDestroy());
    });
    await using web = webFetch();
    await expect(web.read(server.url)).rejects.toMatchObject({
      name: 'ToolFailure',
      message: expect.stringContaining('cannot be reached') as string,
    });
  });
});

it('web_fetch stops and closes its connection when the run is cancelled', async () => {
  let isClosed = false;
  await using server = await startLoopbackServer((response) => response.on('close', () => (isClosed = true)));
  await using web = webFetch();
  const controller = new AbortController();
  const failed = expect(web.read(server.url, {}, controller.signal)).rejects.toThrow('cancelled');
  await expect.poll(() => server.requests.length).toBe(1);
  controller.abort(new Error('cancelled'));
  await failed;
  await expect.poll(() => isClosed).toBe(true);
});
