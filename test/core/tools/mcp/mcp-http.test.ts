import { describe, expect, it, vi } from 'vitest';
import { startMcpHttpServer } from '../../../helpers/mcp-http-server.ts';
import { startLoopbackServer } from '../../outbound/loopback-server.ts';
import { openMcpServers, run, stdio } from './mcp-setup.ts';

const token = 'tracker-token-0123456789';
const headers = { Authorization: `Bearer ${token}` };
const limits = { connectMs: 10_000, callMs: 10_000 };

describe('an MCP server over HTTP', () => {
  it('sends the configured headers in one session, and closes it with the connection', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = await openMcpServers({ tracker: { url: server.url, headers } });
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

  it('lists the tools again after the server reports a change', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = await openMcpServers({ tracker: { url: server.url } });
    const grow = await mcp.tool('mcp__tracker__grow');
    await vi.waitFor(() => expect(server.requests.some(({ method }) => method === 'GET')).toBe(true), 20_000);
    await run(grow);
    await vi.waitFor(async () => expect(await mcp.tool('mcp__tracker__grown')).toBeDefined(), 20_000);
  });

  it('lists the tools again after five minutes without a notification', async () => {
    await using server = await startMcpHttpServer({}, ({ method }) =>
      method === 'GET' ? new Response(null, { status: 405 }) : undefined,
    );
    await using mcp = await openMcpServers({ tracker: { url: server.url } });
    await run(await mcp.tool('mcp__tracker__grow'));
    expect(await mcp.tool('mcp__tracker__grown')).toBeUndefined();
    mcp.wait(5 * 60_000);
    expect(await mcp.tool('mcp__tracker__grown')).toBeDefined();
  });

  it('sends no further requests to an MCP server whose settings have changed', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = await openMcpServers({ tracker: { url: server.url } });
    const echo = await mcp.tool('mcp__tracker__echo');
    await mcp.set({});
    mcp.servers.applySettings();
    await expect(run(echo)).rejects.toThrow('its settings have changed');
    expect(server.requests.map(({ asks }) => asks)).not.toContain('tools/call');
  });

  it('notifies an MCP server of a cancelled call', async () => {
    const hanging = Promise.withResolvers<AbortSignal>();
    await using server = await startMcpHttpServer({ onHang: hanging.resolve });
    await using mcp = await openMcpServers({ tracker: { url: server.url } });
    const controller = new AbortController();
    const called = run(await mcp.tool('mcp__tracker__hang'), {}, controller.signal);
    const signal = await hanging.promise;
    controller.abort(new Error('enough'));
    await expect(called).rejects.toThrow('enough');
    await vi.waitFor(() => expect(signal.aborted).toBe(true), 20_000);
  });

  it('reconnects at once to a server that lost its sessions', async () => {
    await using server = await startMcpHttpServer();
    await using mcp = await openMcpServers({ tracker: { url: server.url } });
    const echo = await mcp.tool('mcp__tracker__echo');
    server.sessions.clear();
    expect((await run(echo, { text: 'again' })).content).toBe('You said again');
  });

  it('shows a server that goes away as not connected', async () => {
    const server = await startMcpHttpServer();
    await using mcp = await openMcpServers({ tracker: { url: server.url } });
    const echo = await mcp.tool('mcp__tracker__echo');
    await server[Symbol.asyncDispose]();
    await expect(run(echo)).rejects.toThrow('cannot be reached');
    await vi.waitFor(
      async () =>
        expect(await mcp.servers.servers()).toMatchObject([
          {
            connected: false,
            message: `${new URL(server.url).host} cannot be reached: it refuses the connection`,
          },
        ]),
      20_000,
    );
  });

  it.each([
    [401, 'It rejected the credentials in its headers (HTTP status 401)'],
    [404, 'It responded with HTTP status 404'],
    [307, 'It redirects, and redirects are not followed (HTTP status 307)'],
    [200, 'Its response is not valid MCP'],
  ])('redacts the headers that a response %i repeats', async (status, message) => {
    await using server = await startLoopbackServer((response, { headers: sent }) =>
      response
        .writeHead(status, { location: '/elsewhere', 'content-type': 'text/html' })
        .end(`<h1>You sent ${String(sent.authorization)}</h1>`),
    );
    await using mcp = await openMcpServers({ tracker: { url: server.url, headers } });
    const described = await mcp.servers.servers();
    expect(described).toEqual([{ name: 'tracker', transport: 'http', connected: false, tools: 0, message }]);
    expect(server.requests.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('redacts the headers that a protocol error repeats', async () => {
    await using server = await startMcpHttpServer({}, async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const { id } = (await request.json()) as { id?: number };
      const message = `Who is ${request.headers.get('authorization')}?`;
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
    });
    await using mcp = await openMcpServers({ tracker: { url: server.url, headers } });
    const [described] = await mcp.servers.servers();
    expect(described?.message).toMatch(/^It returned an error: Who is ••••/);
    expect(JSON.stringify(described)).not.toContain(token);
  });

  it('lists other servers while one never responds', async () => {
    await using server = await startLoopbackServer(() => undefined);
    await using mcp = await openMcpServers({ bad: { url: server.url }, good: stdio('good') }, { limits });
    expect(new Set((await mcp.servers.tools()).map(({ server: name }) => name))).toEqual(new Set(['good']));
    expect((await mcp.servers.servers())[0]).toMatchObject({ message: 'It did not answer in 10 seconds' });
  });

  it('refuses a server at a cloud metadata address', async () => {
    await using mcp = await openMcpServers({ cloud: { url: 'http://169.254.169.254/mcp' } });
    expect((await mcp.servers.servers())[0]?.message).toContain('169.254.169.254 are not allowed');
  });
});
