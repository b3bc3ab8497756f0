import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './cli/svc-binary.ts';
import { codeBlocksOf } from './helpers/code-blocks.ts';
import { startDaemon, type TestDaemon } from './helpers/daemon.ts';
import { gatewayClient } from './helpers/gateway.ts';
import { until } from './helpers/tasks.ts';

interface Node {
  name: string;
  type: string;
  parameters: {
    method?: string;
    url?: string;
    jsCode?: string;
    jsonBody?: string;
    headerParameters?: { parameters: { name: string; value: string }[] };
    options?: { rawBody?: boolean };
  };
}
interface Workflow {
  nodes: Node[];
  connections: Record<string, { main: { node: string }[][] }>;
}
interface Delivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
}
const workflow = JSON.parse(readFileSync(join(root, 'docs/examples/n8n/svc.json'), 'utf8')) as Workflow;
const guide = readFileSync(join(root, 'docs/automation.md'), 'utf8');
const nodeOf = (name: string) =>
  workflow.nodes.find((node) => node.name === name)?.parameters ?? expect.fail(`no node ${name}`);

/** The body of a function of another program, as that calls it. */
const functionOf = (parameters: string, code: string) =>
  runInThisContext(`(async function (${parameters}) {${code}\n})`) as (
    this: unknown,
    ...args: unknown[]
  ) => Promise<unknown>;
const require = createRequire(import.meta.url);

const verifyInN8n = ({ headers, body }: Delivery, secret: string) =>
  functionOf('$input, $env, require', nodeOf('Verify signature').jsCode ?? '').call(
    { helpers: { getBinaryDataBuffer: async () => body } },
    { first: () => ({ json: { headers } }) },
    { SVC_WEBHOOK_SECRET: secret },
    require,
  );
const verifyInZapier = ({ headers, body }: Delivery, secret: string) =>
  functionOf('inputData, require', codeBlocksOf(guide, 'js')[0] ?? '')(
    {
      secret,
      body: body.toString('utf8'),
      id: headers['webhook-id'],
      timestamp: headers['webhook-timestamp'],
      signature: headers['webhook-signature'],
    },
    require,
  );

let daemon: TestDaemon;
let receiver: string;
const deliveries: Delivery[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    deliveries.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.end();
  });
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/svc`;
  daemon = await startDaemon({
    flags: { 'outbound.allowPrivate': ['127.0.0.0/8'], 'agents.default': 'command' },
  });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  server.close();
});

describe('the workflow for n8n', () => {
  it('connects nodes that it has', () => {
    const names = new Set(workflow.nodes.map(({ name }) => name));
    for (const [from, { main }] of Object.entries(workflow.connections))
      for (const name of [from, ...main.flat().map(({ node }) => node)]) expect(names).toContain(name);
    expect(nodeOf('Event of svc').options).toEqual({ rawBody: true });
  });

  it('submits a task by the parameters of its request, once per execution', async () => {
    const { method = '', url = '', jsonBody = '', headerParameters } = nodeOf('Submit task');
    const known = { $json: { title: 'From n8n', text: 'echo "from n8n"' }, $execution: { id: '231' } };
    /** An expression of n8n: text with JavaScript in braces. */
    const evaluate = async (text: string): Promise<string> => {
      if (!text.startsWith('=')) return text;
      const [, before = '', code = '', after = ''] = /^=([^{]*)\{\{([^]*)\}\}([^]*)$/.exec(text) ?? [];
      const value = await functionOf(Object.keys(known).join(), `return (${code})`)(...Object.values(known));
      return `${before}${String(value)}${after}`;
    };
    const { token } = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    };
    for (const { name, value } of headerParameters?.parameters ?? []) headers[name] = await evaluate(value);
    expect(headers['Idempotency-Key']).toBe('n8n-231');
    const send = async () =>
      fetch(url.replace('https://svc.example.com', daemon.url), {
        method,
        headers,
        body: await evaluate(jsonBody),
      });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.headers.get('idempotent-replay')]).toEqual([200, 200, 'true']);
    const answer = (await first.json()) as { taskId: string };
    expect(answer).toMatchObject({ status: 'completed', result: { output: 'from n8n\n' } });
    expect(await again.json()).toMatchObject({ taskId: answer.taskId });
  });
});

describe('the request of the guide for Zapier', () => {
  it('submits a task', async () => {
    const [body = ''] = codeBlocksOf(guide, 'json');
    const { headers } = await gatewayClient(daemon);
    const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    const response = await fetch(`${daemon.url}/api/gateway`, sent);
    expect([response.status, await response.json()]).toMatchObject([202, { status: 'pending' }]);
  });
});

describe.each([
  ['n8n', verifyInN8n, (event: unknown) => [{ json: event }]],
  ['Zapier', verifyInZapier, (event: unknown) => event],
] as const)('the code that verifies events in %s', (_, verify, asResult) => {
  let secret: string;
  let delivery: Delivery;
  beforeAll(async () => {
    deliveries.length = 0;
    const { webhook } = await daemon.client.webhooks.create({
      body: { url: receiver, events: ['task.completed'] },
    });
    secret = webhook.secret;
    const body = { title: 'Größe ✓', prompt: 'true', assignedAgent: 'command' };
    await daemon.client.tasks.create({ body });
    await until(() => expect(deliveries).toHaveLength(1));
    delivery = deliveries[0] ?? expect.fail('no delivery');
    await daemon.client.webhooks.delete({ params: { id: webhook.id } });
  });

  it('passes on an event that svc delivered', async () => {
    const event: unknown = JSON.parse(delivery.body.toString('utf8'));
    expect(event).toMatchObject({ event: 'task.completed', payload: { title: 'Größe ✓' } });
    expect(await verify(delivery, secret)).toEqual(asResult(event));
  });

  it('accepts an event that two secrets signed', async () => {
    const signature = `v1,${Buffer.alloc(32).toString('base64')} ${String(delivery.headers['webhook-signature'])}`;
    const headers = { ...delivery.headers, 'webhook-signature': signature };
    expect(await verify({ ...delivery, headers }, secret)).toBeDefined();
  });

  it.each<[string, (given: Delivery) => Delivery, string]>([
    [
      'another body',
      ({ headers, body }) => ({
        headers,
        body: Buffer.from(body.toString('utf8').replace('task.completed', 'task.failed')),
      }),
      'not valid',
    ],
    [
      'another id',
      ({ headers, body }) => ({ headers: { ...headers, 'webhook-id': 'dlv_x' }, body }),
      'not valid',
    ],
    [
      'no signature',
      ({ headers, body }) => ({ headers: { ...headers, 'webhook-signature': '' }, body }),
      'not valid',
    ],
    [
      'an old time',
      ({ headers, body }) => ({ headers: { ...headers, 'webhook-timestamp': '1700000000' }, body }),
      'five minutes',
    ],
    [
      'a time that is none',
      ({ headers, body }) => ({ headers: { ...headers, 'webhook-timestamp': 'now' }, body }),
      'five minutes',
    ],
  ])('refuses an event with %s', async (_name, change, message) => {
    await expect(verify(change(delivery), secret)).rejects.toThrow(message);
  });

  it('refuses an event that another secret signed', async () => {
    await expect(verify(delivery, `whsec_${Buffer.alloc(32, 1).toString('base64')}`)).rejects.toThrow(
      'not valid',
    );
  });
});
