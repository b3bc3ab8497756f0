import { describe, expect, it, vi } from 'vitest';
import { startMcpHttpServer } from '../../../helpers/mcp-http-server.ts';
import { startLoopbackServer } from '../../outbound/loopback-server.ts';
import { openMcpServers, run, stdio } from './mcp-parts.ts';

const token = 'tracker-token-0123456789';
const headers = { Authorization: `Bearer ${token}` };
const limits = { connectMs: 4000, callMs: 4000 };

describe('an MCP server over HTTP', () => {
  it('is asked with the headers of the settings, in one session that is ended at the close', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = openMcpServers({ tracker: { url: server.url, headers } });
    expect((await run(await mcp.tool('mcp__tracker__echo'), { text: 'hi' })).content).toBe('You said hi');
    expect(server.sessions.size).toBe(1);
    for (const request of server.requests) expect(request.headers.authorization).toBe(`Bearer ${token}`);
    const call = server.requests.find(({ asks }) => asks === 'tools/call');
    expect(server.sessions.has(String(call?.headers['mcp-session-id']))).toBe(true);
    expect(call?.headers['mcp-protocol-version']).toMatch(/^\d{4}-/);
    expect(await mcp.servers.servers()).toMatchObject([
      { name: 'tracker', transport: 'http', connected: true },
    ]);
    await mcp.servers.close();
    expect(server.sessions.size).toBe(0);
  });

  it('that changes its tools is asked for them again', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = openMcpServers({ tracker: { url: server.url } });
    const grow = await mcp.tool('mcp__tracker__grow');
    await vi.waitFor(() => expect(server.requests.some(({ method }) => method === 'GET')).toBe(true));
    await run(grow);
    await vi.waitFor(async () => expect(await mcp.tool('mcp__tracker__grown')).toBeDefined());
  });

  it('that says nothing of a change is asked again after five minutes', async () => {
    await using server = await startMcpHttpServer({}, ({ method }) =>
      method === 'GET' ? new Response(null, { status: 405 }) : undefined,
    );
    await using mcp = openMcpServers({ tracker: { url: server.url } });
    await run(await mcp.tool('mcp__tracker__grow'));
    expect(await mcp.tool('mcp__tracker__grown')).toBeUndefined();
    mcp.wait(5 * 60_000);
    expect(await mcp.tool('mcp__tracker__grown')).toBeDefined();
  });

  it('is asked for nothing more once its settings have changed', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = openMcpServers({ tracker: { url: server.url } });
    const echo = await mcp.tool('mcp__tracker__echo');
    mcp.set({});
    mcp.servers.applySettings();
    await expect(run(echo)).rejects.toThrow('its settings have changed');
    expect(server.requests.map(({ asks }) => asks)).not.toContain('tools/call');
  });

  it('hears of a call that was cancelled', async () => {
    const hanging = Promise.withResolvers<AbortSignal>();
    await using server = await startMcpHttpServer({ onHang: hanging.resolve });
    await using mcp = openMcpServers({ tracker: { url: server.url } });
    const controller = new AbortController();
    const called = run(await mcp.tool('mcp__tracker__hang'), {}, controller.signal);
    const signal = await hanging.promise;
    controller.abort(new Error('enough'));
    await expect(called).rejects.toThrow('enough');
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
  });

  it('that lost its sessions is asked anew at once', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = openMcpServers({ tracker: { url: server.url } });
    const echo = await mcp.tool('mcp__tracker__echo');
    server.sessions.clear();
    expect((await run(echo, { text: 'again' })).content).toBe('You said again');
  });

  it('that goes away is shown as not connected', async () => {
    const server = await startMcpHttpServer();
    await using mcp = openMcpServers({ tracker: { url: server.url } });
    const echo = await mcp.tool('mcp__tracker__echo');
    await server[Symbol.asyncDispose]();
    await expect(run(echo)).rejects.toThrow('cannot be reached');
    await vi.waitFor(async () =>
      expect(await mcp.servers.servers()).toMatchObject([
        { connected: false, message: expect.stringContaining('cannot be reached') },
      ]),
    );
  });

  it.each([
    [401, 'It refuses the credentials in its headers (HTTP status 401)'],
    [404, 'It answered with the HTTP status 404'],
    [307, 'It redirects, which is not followed (HTTP status 307)'],
    [200, 'Its answer is not MCP'],
  ])(
    'that answers %i with a page and repeats the headers is described without them',
    async (status, message) => {
      await using server = await startLoopbackServer((response, { headers: sent }) =>
        response
          .writeHead(status, { location: '/elsewhere', 'content-type': 'text/html' })
          .end(`<h1>You sent ${String(sent.authorization)}</h1>`),
      );
      await using mcp = openMcpServers({ tracker: { url: server.url, headers } });
      const described = await mcp.servers.servers();
      expect(described).toEqual([
        { name: 'tracker', transport: 'http', connected: false, tools: 0, message },
      ]);
      expect(server.requests.map(({ path }) => path)).not.toContain('/elsewhere');
    },
  );

  it('that repeats a header in an error of the protocol is quoted without it', async () => {
    await using server = await startMcpHttpServer({}, async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const { id } = (await request.json()) as { id?: number };
      const message = `Who is ${request.headers.get('authorization')}?`;
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
    });
    await using mcp = openMcpServers({ tracker: { url: server.url, headers } });
    const [described] = await mcp.servers.servers();
    expect(described?.message).toMatch(/^It answered with an error: Who is ••••/);
    expect(JSON.stringify(described)).not.toContain(token);
  });

  it('that never answers harms nobody else', async () => {
    await using server = await startLoopbackServer(() => undefined);
    await using mcp = openMcpServers({ bad: { url: server.url }, good: stdio('good') }, { limits });
    expect(new Set((await mcp.servers.tools()).map(({ server: name }) => name))).toEqual(new Set(['good']));
    expect((await mcp.servers.servers())[0]).toMatchObject({ message: 'It did not answer in 4 seconds' });
  });

  it('may not be near unless it is exactly what the settings name', async () => {
    await using mcp = openMcpServers({ cloud: { url: 'http://169.254.169.254/mcp' } });
    expect((await mcp.servers.servers())[0]?.message).toContain('169.254.169.254 are not allowed');
  });
});
