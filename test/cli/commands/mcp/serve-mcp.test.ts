import { once } from 'node:events';
import http, { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newApproval } from '../../../helpers/approvals.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { bearerOf, contentOf, eras, textOf } from '../../../helpers/mcp-clients.ts';
import { memoryFolder } from '../../../helpers/memory-folder.ts';
import { SvcMcp, svcMcp } from '../../../helpers/svc-mcp.ts';
import { ensureBuilt, SvcHome } from '../../svc-binary.ts';

let daemon: TestDaemon;
let env: Record<string, string>;
beforeAll(async () => {
  ensureBuilt();
  daemon = await startDaemon({ flags: { 'limits.streamsPerUser': 2 } });
  const { token } = await daemon.app.sessions.create({ userId: 'user_owner', kind: 'sign-in' });
  env = { SVC_HOME: memoryFolder(), SVC_URL: daemon.url, SVC_TOKEN: token };
}, 180_000);
afterAll(() => daemon[Symbol.asyncDispose]());

const create = (mcp: SvcMcp, id: number, prompt: string) =>
  mcp.request(id, 'tools/call', {
    name: 'create_task',
    arguments: { prompt, assignedAgent: 'command' },
  });
const idIn = ({ result }: { result?: unknown }) =>
  (result as { structuredContent: { id: string } }).structuredContent.id;

describe.each(eras)('svc mcp with a client of the official SDK (%s)', (era) => {
  it('creates a task, waits with progress, and reads its output', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
    await client.connect(new StdioClientTransport({ ...svcMcp, env, stderr: 'inherit' }));
    expect(client.getServerVersion()).toMatchObject({ name: 'svc' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('decide_approval');
    const made = await client.callTool({
      name: 'create_task',
      arguments: { prompt: 'echo through the pipe', assignedAgent: 'command' },
    });
    const { id } = contentOf(made);
    const progress: unknown[] = [];
    const waited = await client.callTool(
      { name: 'wait_for_task', arguments: { id } },
      { onprogress: (each) => progress.push(each) },
    );
    expect(contentOf(waited)).toMatchObject({ status: 'completed' });
    expect(textOf(waited)).toContain('through the pipe');
    const { contents } = await client.readResource({ uri: `svc://tasks/${String(id)}/output` });
    expect(contents).toMatchObject([{ text: 'through the pipe\n' }]);
    await client.close();
  });
});

describe('svc mcp', () => {
  it('has a client of an older revision ask its user about a call that waits for a decision', async () => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: {} } },
    );
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { decision: asked.length === 1 ? 'nonsense' : 'allow-once' } };
    });
    await client.connect(new StdioClientTransport({ ...svcMcp, env, stderr: 'inherit' }));
    const { id } = await daemon.app.approvals.request(newApproval());
    const args = { id, call: 'run_command {}', decision: 'allow-once' };
    const decide = () => client.callTool({ name: 'decide_approval', arguments: args });
    expect(await decide()).toMatchObject({ isError: true });
    expect(contentOf(await decide())['approval']).toMatchObject({ id, status: 'approved' });
    expect(asked).toHaveLength(2);
    await client.close();
  });

  it('goes on where the daemon does not know the session any more', async () => {
    await using other = await startDaemon();
    const { token } = await other.app.sessions.create({ userId: 'user_owner', kind: 'sign-in' });
    let isOther = false;
    const proxy = createServer((request, response) => {
      const { hostname, port } = new URL((isOther ? other : daemon).url);
      const { host: _, authorization, ...headers } = request.headers;
      const of = isOther ? `Bearer ${token}` : authorization;
      const passed = http.request({
        hostname,
        port,
        path: request.url,
        method: request.method,
        headers: { ...headers, authorization: of },
      });
      passed.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo;
    await using mcp = new SvcMcp({ ...env, SVC_URL: `http://127.0.0.1:${port}` });
    await mcp.initialize();
    expect(await mcp.request(1, 'tools/list')).toHaveProperty('result');
    isOther = true;
    expect(await mcp.request(2, 'tools/list')).toHaveProperty('result');
    expect(await mcp.end()).toBe(0);
    proxy.close();
  });

  it('prints nothing but messages, answers a line that is none, and ends with its stdin', async () => {
    await using mcp = new SvcMcp(env);
    mcp.send('not a message');
    expect(await mcp.next()).toMatchObject({ id: null, error: { code: -32_700 } });
    expect(await mcp.initialize()).toMatchObject({ result: { serverInfo: { name: 'svc' } } });
    expect(await mcp.request(2, 'no/such')).toMatchObject({ error: { code: -32_601 } });
    expect(await mcp.request(3, 'tools/call', { name: 'get_task' })).toMatchObject({
      result: { isError: true },
    });
    expect(await mcp.end()).toBe(0);
    expect(mcp.stderr).toBe('');
    for (const line of mcp.seen) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  it('ends at once with its stdin while a call waits, and frees what the call held', async () => {
    await using mcp = new SvcMcp(env);
    await mcp.initialize();
    const id = idIn(await create(mcp, 1, 'sleep 600'));
    mcp.send({
      id: 2,
      method: 'tools/call',
      params: { name: 'wait_for_task', arguments: { id, timeoutSeconds: 300 }, _meta: { progressToken: 1 } },
    });
    await mcp.next(({ method }) => method === 'notifications/progress');
    expect(await mcp.end()).toBe(0);
    await daemon.client.tasks.cancel({ params: { id } });
  });

  it('stops waiting when its client cancels the call, and the task continues', async () => {
    await using mcp = new SvcMcp(env);
    await mcp.initialize();
    const id = idIn(await create(mcp, 1, 'sleep 600'));
    const params = { name: 'wait_for_task', arguments: { id, timeoutSeconds: 300 } };
    // The user may have two at once, so that those that are cancelled have to be over.
    for (const call of [10, 11, 12, 13, 14]) {
      mcp.send({ id: call, method: 'tools/call', params: { ...params, _meta: { progressToken: call } } });
      await mcp.next(({ method }) => method === 'notifications/progress');
      mcp.send({ method: 'notifications/cancelled', params: { requestId: call } });
    }
    const task = await mcp.request(20, 'tools/call', { name: 'get_task', arguments: { id } });
    expect(task).toMatchObject({ result: { structuredContent: { finished: false } } });
    expect(mcp.seen.some((line) => [10, 11, 12, 13, 14].includes(JSON.parse(line).id as number))).toBe(false);
    await daemon.client.tasks.cancel({ params: { id } });
  });

  it('acts with the scopes of an API token', async () => {
    const { authorization } = await bearerOf(daemon, ['tasks:read']);
    await using mcp = new SvcMcp({ ...env, SVC_TOKEN: authorization.replace('Bearer ', '') });
    await mcp.initialize();
    const { result } = await mcp.request(1, 'tools/list');
    expect((result as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
      'wait_for_task',
      'get_task',
      'list_tasks',
    ]);
    expect(await create(mcp, 2, 'echo no')).toMatchObject({
      result: { isError: true, content: [{ text: 'The API token needs the scope tasks:write' }] },
    });
  });

  it('says what to do where the credential is not valid', async () => {
    await using mcp = new SvcMcp({ ...env, SVC_TOKEN: 'svc_wrong' });
    expect(await mcp.initialize()).toMatchObject({
      error: { code: -32_000, message: expect.stringMatching(/Not signed in.*SVC_TOKEN/) as string },
    });
  });

  it('says that no daemon answers, and continues when one does', async () => {
    await using home = await SvcHome.create();
    await using mcp = new SvcMcp({ ...home.env, SVC_NO_AUTOSTART: '1' });
    expect(await mcp.initialize()).toMatchObject({
      error: { message: expect.stringContaining('No daemon at') as string },
    });
    await home.svc(['daemon', 'start']);
    expect(await mcp.initialize()).toMatchObject({ result: { serverInfo: { name: 'svc' } } });
    await home.svc(['daemon', 'restart']);
    expect(await mcp.request(5, 'tools/list')).toHaveProperty('result');
  }, 180_000);
});
