import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { sized } from '../../helpers/long.ts';
import { bearerOf } from '../../helpers/mcp-clients.ts';
import { modernMeta, postMcp } from '../../helpers/mcp-http.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let ann: TestUser;
let owners: string;
beforeAll(async () => {
  daemon = await startDaemon({ flags: { 'limits.streamsPerUser': 1000 } });
  ann = await addUser(daemon, 'ann');
  owners = (await daemon.client.tasks.create({ body: { title: 'Of the owner' } })).task.id;
});
afterAll(() => daemon[Symbol.asyncDispose]());

const accept = 'application/json, text/event-stream';
async function send(body: string | undefined, headers: Record<string, string> = {}, method = 'POST') {
  const response = await fetch(`${daemon.url}/mcp`, {
    method,
    headers: { accept, 'content-type': 'application/json', ...daemon.headers, ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
type Sent = Awaited<ReturnType<typeof send>>;

/** Whatever is sent, an answer is no fault of the daemon, and every error is one of JSON-RPC. */
function expectNoFault({ status, text }: Sent): void {
  expect(status, text).toBeLessThan(500);
  expect(text).not.toContain('-32603');
  if (status >= 400)
    expect(JSON.parse(text)).toMatchObject({
      jsonrpc: '2.0',
      error: { code: expect.any(Number), message: expect.any(String) },
    });
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

describe('a request that is no message', () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  it.each<[string, string | undefined, Record<string, string>, string, number]>([
    ['an empty body', '', {}, 'POST', 400],
    ['a body that is not JSON', '{', {}, 'POST', 400],
    ['null', 'null', {}, 'POST', 400],
    ['a text', '"hello"', {}, 'POST', 400],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 'POST', 400],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', {}, 'POST', 400],
    ['a batch', `[${ping}]`, {}, 'POST', 400],
    ['an empty batch', '[]', {}, 'POST', 400],
    ['a body that is too deep', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep}}`, {}, 'POST', 400],
    ['a polluted prototype', '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"ping"}}', {}, 'POST', 400],
    ['a body that is too large', `"${'x'.repeat(2 * 1024 * 1024)}"`, {}, 'POST', 413],
    ['text/plain', ping, { 'content-type': 'text/plain' }, 'POST', 415],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 'POST', 415],
    ['a compressed body', ping, { 'content-encoding': 'gzip' }, 'POST', 415],
    ['an Accept without streams', ping, { accept: 'application/json' }, 'POST', 406],
    ['an Accept of HTML', ping, { accept: 'text/html' }, 'POST', 406],
    ['an unknown revision', ping, { 'mcp-protocol-version': '1999-01-01' }, 'POST', 400],
    ['a session that was never made', ping, { 'mcp-session-id': 'x.y' }, 'POST', 404],
    ['GET', undefined, {}, 'GET', 405],
    ['DELETE', undefined, {}, 'DELETE', 405],
    ['another origin', ping, { origin: 'http://evil.example' }, 'POST', 403],
    ['no credential', ping, { cookie: '' }, 'POST', 401],
    ['a wrong credential', ping, { authorization: 'Bearer svc_wrong' }, 'POST', 401],
  ])('is refused as JSON-RPC: %s', async (_, body, headers, method, status) => {
    const sent = await send(body, headers, method);
    expect(sent.status, sent.text).toBe(status);
    expectNoFault(sent);
    if (status === 401) expect(sent.headers.get('www-authenticate')).toContain('Bearer');
  });
});

describe('random messages', () => {
  const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });
  const id = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(0, -1, Number.MAX_SAFE_INTEGER, 1e308, 'x'.repeat(5000), '__proto__'),
  );
  const method = fc.constantFrom(
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'resources/subscribe',
    'completion/complete',
    'prompts/list',
    'logging/setLevel',
    'server/discover',
    'tasks/get',
    'tasks/list',
    'tasks/result',
    'tasks/cancel',
    'tasks/update',
    'notifications/cancelled',
    'notifications/initialized',
    'notifications/progress',
    'constructor',
  );

  it('of any form make no fault', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.json({ stringUnit: 'binary' }), fc.string({ unit: 'binary' })),
        async (body) => expectNoFault(await send(body)),
      ),
      { numRuns: sized(60, 500) },
    );
  });

  it('with any method, id and parameters make no fault', async () => {
    const message = fc.record(
      { jsonrpc: fc.constant('2.0'), id, method, params: fc.oneof(json, fc.dictionary(fc.string(), json)) },
      { requiredKeys: ['jsonrpc'] },
    );
    await fc.assert(
      fc.asyncProperty(message, async (sent) => expectNoFault(await send(JSON.stringify(sent)))),
      { numRuns: sized(150, 1500) },
    );
  });

  it('of revision 2026-07-28 make no fault, whatever the headers say', async () => {
    const header = fc.oneof(
      fc.constantFrom('2026-07-28', '2025-06-18', 'tools/call', 'get_task', '=?base64?!?='),
      fc.string({ unit: fc.constantFrom('a', 'é', ' ', '=', '?'), maxLength: 10 }),
    );
    const message = fc.record({
      id,
      method,
      params: fc.dictionary(fc.constantFrom('name', 'uri', 'taskId', 'arguments', 'ref', 'argument'), json),
    });
    const headers = fc.dictionary(
      fc.constantFrom('mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'),
      header,
    );
    await fc.assert(
      fc.asyncProperty(message, headers, async ({ params, ...rest }, more) => {
        const sent = { jsonrpc: '2.0', ...rest, params: { ...params, _meta: modernMeta } };
        expectNoFault(await send(JSON.stringify(sent), more));
      }),
      { numRuns: sized(100, 1000) },
    );
  });

  const tool = fc.constantFrom(
    'create_task',
    'get_task',
    'list_tasks',
    'cancel_task',
    'list_approvals',
    'decide_approval',
    'search_memory',
  );
  const names =
    'id prompt title priority labels assignedAgent cwd worktree verify model maxCostUsd continues status q cursor limit call decision query under';
  const value = fc.oneof(
    json,
    fc.constantFrom('pending', 'allow-once', '/', '../..', 'x'.repeat(10_000), 1, true),
  );
  const args = fc.oneof(json, fc.dictionary(fc.constantFrom(...names.split(' ')), value, { maxKeys: 6 }));

  it('call tools with any arguments without a fault', async () => {
    let succeeded = 0;
    await fc.assert(
      fc.asyncProperty(tool, args, async (name, given) => {
        const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
        const sent = await send(JSON.stringify(call));
        expectNoFault(sent);
        if (sent.status === 200 && !sent.text.includes('"isError":true') && sent.text.includes('"content"'))
          succeeded += 1;
      }),
      { numRuns: sized(200, 2000) },
    );
    // A fuzz that never gets past the schemas would look at nothing else.
    expect(succeeded).toBeGreaterThan(0);
  });

  it('of a user get nothing of another, and those of a token nothing past its scopes', async () => {
    const searcher = await bearerOf(daemon, ['memory:read']);
    const before = await daemon.client.tasks.list();
    const named = fc.constantFrom(owners, `${owners} `, `../${owners}`, owners.toUpperCase(), `${owners}%00`);
    const target = fc.constantFrom('get_task', 'wait_for_task', 'cancel_task', 'create_task', 'list_tasks');
    await fc.assert(
      fc.asyncProperty(target, named, fc.constantFrom(ann.headers, searcher), async (name, task, who) => {
        const params =
          name === 'create_task'
            ? { name, arguments: { prompt: 'x', continues: task } }
            : { name, arguments: name === 'list_tasks' ? {} : { id: task } };
        for (const message of [
          { id: 1, method: 'tools/call', params },
          { id: 1, method: 'resources/read', params: { uri: `svc://tasks/${task}/output` } },
          { id: 1, method: 'resources/list', params: {} },
        ]) {
          const { status, message: answer } = await postMcp(daemon, message, { credential: who });
          expect(status).toBeLessThan(500);
          expect(JSON.stringify(answer)).not.toContain('Of the owner');
        }
      }),
      { numRuns: sized(30, 200) },
    );
    const after = await daemon.client.tasks.list();
    expect(after.total).toBe(before.total);
    expect((await daemon.client.tasks.get({ params: { id: owners } })).task.status).toBe('pending');
  });
});
