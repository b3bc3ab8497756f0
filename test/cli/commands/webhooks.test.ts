import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { InboundDelivery } from '../../../src/contract/inbound.ts';
import type { Webhook, WebhookDelivery } from '../../../src/contract/webhooks.ts';
import { type ContractServer, Refusal, startContractServer } from '../../helpers/contract-server.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';
import { ago, ahead, allEvents, cameIn, delivery, idOf, webhook } from './webhook-samples.ts';

let home: SvcHome;
let server: ContractServer;
let registered: Webhook[];
let sent: WebhookDelivery[];
let inbound: InboundDelivery[];
/** What came of the last attempt. */
let outcome: Partial<WebhookDelivery>;
let queries: unknown[];

const find = <T extends { id: string }>(list: T[], id: string): T => {
  const found = list.find((each) => each.id === id);
  if (!found) throw new Refusal(404, 'Not found');
  return found;
};

beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  registered = [webhook(1)];
  sent = [delivery(1)];
  inbound = [cameIn(1)];
  outcome = {};
  queries = [];
  server = await startContractServer({
    webhooks: {
      list: () => ({ webhooks: registered }),
      get: ({ params }) => ({ webhook: find(registered, params.id) }),
      create: ({ body }) => ({
        webhook: webhook(2, { ...body, secret: body.secret ? '…cret' : 'whsec_bWFkZQ==' }),
      }),
      update: ({ params, body }) => ({
        webhook: { ...find(registered, params.id), active: body.active ?? true },
      }),
      delete: ({ params }) => ({ message: find(registered, params.id).id }),
      rotateSecret: ({ params, body }) => ({
        webhook: {
          ...find(registered, params.id),
          secret: body.secret ? '…cret' : 'whsec_bmV3',
          ...(body.keepHours > 0 && { previousSecretUntil: ahead(body.keepHours * 60) }),
        },
      }),
      sendTest: ({ params }) => ({
        delivery: delivery(3, { webhookId: params.id, event: 'webhook.test', ...outcome }),
      }),
      listDeliveries: ({ params, query }) => {
        find(registered, params.id);
        queries.push(query);
        const { limit, offset } = query;
        const deliveries = sent.filter(({ status }) => !query.status || status === query.status);
        return { deliveries, total: deliveries.length, limit, offset };
      },
      redeliver: ({ params }) => ({
        message: 'Sent',
        delivery: { ...find(sent, params.deliveryId), ...outcome },
      }),
    },
    inbound: {
      list: ({ query }) => {
        queries.push(query);
        return { deliveries: inbound, total: inbound.length + 2, limit: query.limit, offset: query.offset };
      },
      get: ({ params }) => {
        const found = find(inbound, params.id);
        return { delivery: found, ...(found.canReplay && { payload: { action: 'labeled\u001b[2J' } }) };
      },
      replay: ({ params }) =>
        find(inbound, params.id).status === 'accepted'
          ? { status: 'duplicate', reason: 'There is a task already', taskId: 'task_1', id: 'inb_9' }
          : { status: 'ignored', reason: 'It has not the label', id: 'inb_9' },
    },
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const svc = (...args: string[]) => home.svc(['webhooks', ...args, '--url', server.url]);
const bodies = () => server.asked.map(({ body }) => body).filter((body) => body !== undefined);

describe('svc webhooks', () => {
  it('lists webhooks and explains how to re-enable a disabled one', async () => {
    registered = [
      webhook(1, { lastDelivery: ago(3) }),
      webhook(2, {
        url: 'http://example.com/hook',
        events: allEvents,
        status: 'failing',
        active: false,
        failureCount: 12,
      }),
    ];
    const { code, stdout, stderr } = await svc('ls');
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'URL', 'EVENTS', 'STATUS', 'LAST DELIVERY', 'FAILED'],
      [idOf('wh', 1), 'example.com/hook', 'task.completed task.failed', 'active', '3 min ago', '0'],
      [idOf('wh', 2), 'http://example.com/hook', 'all', 'failing', 'never', '12'],
      [''],
    ]);
    expect(stderr).toBe(
      `${idOf('wh', 2)} was disabled after repeated failures. See why: svc webhooks deliveries ${idOf('wh', 2)} --failed\n` +
        `Re-enable it once fixed: svc webhooks enable ${idOf('wh', 2)}\n`,
    );
    expect((await svc('ls', '--quiet')).stdout).toBe(`${idOf('wh', 1)}\n${idOf('wh', 2)}\n`);
    expect(JSON.parse((await svc('ls', '--json')).stdout)).toEqual({ webhooks: registered });
    registered = [];
    expect(await svc('ls')).toMatchObject({
      stdout: '',
      stderr: 'No webhooks. Add one: svc webhooks add URL --all-events\n',
    });
  });

  it('shows a webhook by ID prefix', async () => {
    registered.push(webhook(2, { previousSecretUntil: ahead(60), description: 'board\u001b[2J' }));
    const { stdout } = await svc('show', '0199a1b2');
    expect(stdout).toContain(`ID               ${idOf('wh', 2)}\n`);
    expect(stdout).toContain('Events           task.completed, task.failed\n');
    expect(stdout).toContain('Previous secret  also signs for another 1 h 0 min\n');
    expect(stdout).toContain(String.raw`board\x1b[2J`);
    expect(await svc('show', '0199')).toMatchObject({ code: 6 });
    expect(await svc('show', 'x')).toMatchObject({
      code: 5,
      stderr: 'svc: There is no webhook "x". See them: svc webhooks ls\n',
    });
  });

  it('adds a webhook and prints only its secret, once', async () => {
    const made = await svc('add', 'https://example.com/a', '-e', 'task.completed', '-e', 'task.failed');
    expect(made).toMatchObject({ code: 0, stdout: 'whsec_bWFkZQ==\n' });
    expect(made.stderr).toMatch(/^Store this secret now/);
    expect(made.stderr).toContain(`Test it: svc webhooks test ${idOf('wh', 2)}\n`);
    expect(made.stderr).not.toContain('whsec_');
    await svc('add', 'https://example.com/a', '--all-events', '--description', 'Board');
    expect(bodies()).toEqual([
      { url: 'https://example.com/a', events: ['task.completed', 'task.failed'], format: 'json' },
      { url: 'https://example.com/a', events: allEvents, format: 'json', description: 'Board' },
    ]);
  });

  it('reads a webhook secret from stdin and never prints it', async () => {
    const args = ['webhooks', 'add', 'https://example.com/a', '--all-events', '--secret-stdin'];
    const made = await home.svc([...args, '--url', server.url], {
      stdin: 'planted-secret\n',
    });
    expect(made).toMatchObject({ code: 0, stdout: `${idOf('wh', 2)}\n` });
    expect(made.stdout + made.stderr).not.toContain('planted');
    expect(bodies()).toMatchObject([{ secret: 'planted-secret' }]);
    expect(await home.svc([...args, '--url', server.url], { stdin: '' })).toMatchObject({ code: 2 });
  });

  it('adds a text webhook with a token from stdin, and prints its ID', async () => {
    const args = [
      'webhooks',
      'add',
      'https://ntfy.example/a',
      '--format',
      'text',
      '-e',
      'approval.requested',
    ];
    const made = await home.svc([...args, '--token-stdin', '--url', server.url], {
      stdin: 'planted-token\n',
    });
    expect(made).toMatchObject({ code: 0, stdout: `${idOf('wh', 2)}\n` });
    expect(made.stderr).toBe(`Webhook is active. Test it: svc webhooks test ${idOf('wh', 2)}\n`);
    expect(bodies()).toEqual([
      {
        url: 'https://ntfy.example/a',
        events: ['approval.requested'],
        format: 'text',
        token: 'planted-token',
      },
    ]);
  });

  it.each([
    [['add', 'https://example.com/a', '--all-events', '--format', 'plain'], /Allowed choices are json, text/],
    [
      ['add', 'https://example.com/a', '--all-events', '--token-stdin', '--secret-stdin'],
      /cannot be used with/,
    ],
    [['add', 'https://example.com/a'], /No events given\. .*--all-events/],
    [['add', 'https://example.com/a', '-e', 'task.failed', '--all-events'], /No events given/],
    [['add', 'https://example.com/a', '-e', 'task.complete'], /Did you mean task\.completed\?/],
    [['add', '--all-events'], /missing required argument/i],
    [['deliveries', '0199', '--failed', '--status', 'pending'], /cannot be used with/],
    [['inbound', '--status', 'done'], /Allowed choices are accepted/],
    [['inbound', '--provider', 'gitlab'], /Did you mean github/],
    [['inbound', '--payload'], /--payload needs the ID of a delivery/],
  ])('rejects the webhook arguments %j', async (args, because) => {
    const { code, stdout, stderr } = await svc(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(because);
    expect(server.asked).toEqual([]);
  });

  it('pauses, enables and removes several webhooks', async () => {
    registered.push(webhook(2));
    const ids = `${idOf('wh', 1)}\n${idOf('wh', 2)}\n`;
    const paused = await svc('pause', '0199a1b1', '0199a1b2');
    expect(paused).toMatchObject({ code: 0, stdout: ids });
    expect(paused.stderr).toContain(
      `Webhook paused. Enable it again: svc webhooks enable ${idOf('wh', 2)}\n`,
    );
    expect((await svc('enable', '0199a1b1')).stderr).toContain('Webhook enabled');
    expect(bodies()).toEqual([{ active: false }, { active: false }, { active: true }]);
    expect(await svc('rm', '0199a1b1', '0199a1b2')).toMatchObject({ code: 0, stdout: ids });
    expect(await svc('rm', 'nothing', '0199a1b2')).toMatchObject({ code: 5, stdout: `${idOf('wh', 2)}\n` });
  });

  it('rotates the webhook secret and says how long the previous one is valid', async () => {
    const made = await svc('rotate', '0199');
    expect(made).toMatchObject({ code: 0, stdout: 'whsec_bmV3\n' });
    expect(made.stderr).toContain('The previous secret also signs for another 24 h.\n');
    const atOnce = await svc('rotate', '0199', '--keep-hours', '0');
    expect(atOnce.stderr).toContain('Previous secret revoked.\n');
    expect(bodies()).toEqual([{ keepHours: 24 }, { keepHours: 0 }]);
  });
});

describe('svc webhooks deliveries', () => {
  it('lists webhook deliveries', async () => {
    sent = [
      delivery(1),
      delivery(2, {
        event: 'task.failed',
        status: 'pending',
        attempt: 2,
        statusCode: 503,
        error: 'HTTP 503',
        nextAttemptAt: ahead(5),
      }),
      delivery(3, { status: 'failed', attempt: 6, error: 'it refuses the connection' }),
    ];
    delete sent[2]?.statusCode;
    const { stdout, stderr } = await svc('deliveries', '0199');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'EVENT', 'STATUS', 'CODE', 'ATTEMPT', 'NEXT', 'AGE', 'ERROR'],
      [idOf('dlv', 1), 'task.completed', 'delivered', '200', '1', '-', '3 min ago'],
      [idOf('dlv', 2), 'task.failed', 'pending', '503', '2', 'in 5 min', '3 min ago', 'HTTP 503'],
      [idOf('dlv', 3), 'task.completed', 'failed', '-', '6', '-', '3 min ago', 'it refuses the connection'],
      [''],
    ]);
    expect(stderr).toBe(`Redeliver one: svc webhooks redeliver 0199 ${idOf('dlv', 3)}\n`);
    const failed = await svc('deliveries', '0199', '--failed', '--limit', '9', '-q');
    expect(failed.stdout).toBe(`${idOf('dlv', 3)}\n`);
    expect(queries).toEqual([
      { limit: 50, offset: 0 },
      { limit: 9, offset: 0, status: 'failed' },
    ]);
  });

  it('says when there are no deliveries', async () => {
    sent = [];
    expect((await svc('deliveries', '0199')).stderr).toContain('Test it: svc webhooks test wh_0199');
    expect((await svc('deliveries', '0199', '--failed')).stderr).toBe('No matching deliveries.\n');
  });

  it.each<[Partial<WebhookDelivery>, number, RegExp]>([
    [{}, 0, /^Delivered in 40 ms \(HTTP 200\)\.\n$/],
    [
      { status: 'failed', statusCode: 500 },
      1,
      /^svc: Delivery failed: HTTP 500\. See: svc webhooks deliveries wh_\S+ --failed\n$/,
    ],
    [{ status: 'failed', error: 'example.com did not answer in time' }, 1, /did not answer in time/],
    [
      { status: 'pending', statusCode: 503, nextAttemptAt: ahead(5) },
      8,
      /Not delivered yet: HTTP 503\. Next attempt in \d min\n$/,
    ],
  ])('tests a webhook and redelivers with an exit code: %j', async (given, code, stderr) => {
    outcome = given;
    expect(await svc('test', '0199')).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(stderr) as string,
    });
    expect(await svc('redeliver', '0199', '0199a1b1')).toMatchObject({
      code,
      stdout: `${idOf('dlv', 1)}\n`,
      stderr: expect.stringMatching(stderr) as string,
    });
    const asJson = await svc('test', '0199', '--json');
    expect(asJson.code).toBe(code);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ delivery: { ...given } });
  });

  it('reports an unknown delivery', async () => {
    expect(await svc('redeliver', '0199', 'zzz')).toMatchObject({
      code: 5,
      stderr: 'svc: There is no delivery "zzz". See them: svc webhooks deliveries WEBHOOK\n',
    });
  });
});

describe('svc webhooks inbound', () => {
  it('lists inbound webhooks', async () => {
    inbound = [
      cameIn(1),
      cameIn(2, {
        provider: 'tracker_a',
        event: 'jira:issue_updated',
        status: 'ignored',
        reason: 'No label',
      }),
    ];
    delete inbound[1]?.action;
    delete inbound[1]?.taskId;
    const { stdout, stderr } = await svc(
      'inbound',
      '--provider',
      'github',
      '--status',
      'ignored',
      '--limit',
      '5',
    );
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'AGE', 'FROM', 'EVENT', 'STATUS', 'TASK, REASON'],
      [
        idOf('inb', 1),
        '3 min ago',
        'GitHub',
        'issues labeled',
        'accepted',
        'task_0199a1b9-0000-7000-8000-000000000009',
      ],
      [idOf('inb', 2), '3 min ago', 'Jira', 'jira:issue_updated', 'ignored', 'No label'],
      [''],
    ]);
    expect(stderr).toBe('2 of 4. More: --limit, --offset\n');
    expect(queries).toEqual([{ provider: 'codehost', status: 'ignored', limit: 5, offset: 0 }]);
    inbound = [];
    expect((await svc('inbound')).stderr).toContain('svc integrations ls');
    expect((await svc('inbound', '--status', 'refused')).stderr).toBe('No matching deliveries.\n');
  });

  it('shows an inbound webhook, with its body when that is stored', async () => {
    inbound.push(cameIn(2, { canReplay: false, copies: 3, sender: 'octocat' }));
    const { stdout, stderr } = await svc('inbound', '0199a1b1');
    expect(stdout).toMatch(
      /^ID {11}inb_0199a1b1\S+\nFrom {9}GitHub\nDelivery ID {2}guid-1\nEvent {8}issues labeled\n/,
    );
    expect(stdout).not.toContain('Copies');
    expect(stderr).toContain(`svc webhooks replay ${idOf('inb', 1)}`);
    expect(JSON.parse((await svc('inbound', '0199a1b1', '--payload')).stdout)).toEqual({
      action: 'labeled\u001b[2J',
    });
    const old = await svc('inbound', '0199a1b2');
    expect(old.stdout).toMatch(/\nCopies {7}3, last at /);
    expect(old.stderr).toContain('cannot be replayed');
    expect(await svc('inbound', '0199a1b2', '--payload')).toMatchObject({ code: 5, stdout: '' });
  });

  it('replays an inbound webhook', async () => {
    inbound.push(cameIn(2, { status: 'ignored' }));
    expect(await svc('replay', '0199a1b1')).toEqual({
      code: 0,
      stdout: 'task_1\n',
      stderr: 'duplicate: There is a task already\n',
    });
    expect(await svc('replay', '0199a1b2')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'ignored: It has not the label\n',
    });
    expect(await svc('replay', 'zzz')).toMatchObject({
      code: 5,
      stderr: 'svc: There is no inbound delivery "zzz". See them: svc webhooks inbound\n',
    });
  });
});

it('completes webhook events, names and IDs', async () => {
  const complete = async (...words: string[]) =>
    (await home.svc(['__complete', '--', 'webhooks', ...words], { env: { SVC_URL: server.url } })).stdout;
  expect(await complete('add', 'https://example.com', '--event', 'task.f')).toBe(
    'task.failed\ta task failed in all its attempts\n',
  );
  expect(await complete('inbound', '--provider', 'g')).toBe('github\tGitHub\n');
  expect(await complete('inbound', '--status', 'r')).toBe('refused\t\n');
  expect(await complete('deliveries', '--status', 'd')).toBe('delivered\t\n');
  expect(await complete('test', '')).toBe(`${idOf('wh', 1)}\tactive https://example.com/hook\n`);
  expect(await complete('replay', '')).toBe(`${idOf('inb', 1)}\tGitHub issues accepted\n`);
});
