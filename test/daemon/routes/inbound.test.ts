import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import {
  commentOn,
  deliver,
  fromGithub,
  fromLinear,
  hexMac,
  inboundFlags,
  labeledIssue,
  linearIssue,
  openedIssue,
  secrets,
  sign,
} from '../../helpers/inbound.ts';
import { rawRequest, sendRaw } from '../../helpers/raw-http.ts';
import { addUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let count = 0;
/** An issue that no other test speaks of. */
let number: number;
beforeAll(async () => {
  daemon = await startDaemon({
    // Each test comes from addresses of its own.
    flags: {
      ...inboundFlags,
      'server.trustedProxies': ['127.0.0.1'],
      'server.baseUrl': 'https://hooks.example.org',
    },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());
beforeEach(() => {
  number = ++count;
});

const address = (last = 1) => ({ 'x-forwarded-for': `203.0.${number}.${last}` });
const taskOf = async (id = '') => (await daemon.client.tasks.get({ params: { id } })).task;
const stored = async () => {
  const [{ total }, tasks] = await Promise.all([
    daemon.client.inbound.list({ query: { limit: 1 } }),
    daemon.client.tasks.filter({ query: { limit: 1 } }),
  ]);
  return { deliveries: total, tasks: tasks.total };
};

describe('a webhook with a valid signature', () => {
  it('a signed webhook creates a task and returns its id', async () => {
    const answer = await deliver(daemon, fromGithub(openedIssue({ number }), { id: 'delivery-1' }));
    expect(answer).toMatchObject({ status: 200, body: { status: 'accepted' } });
    expect(answer.body).toEqual({
      status: 'accepted',
      taskId: expect.stringMatching(/^task_/),
      id: expect.stringMatching(/^inb_/),
    });
    expect(await taskOf(answer.body.taskId)).toMatchObject({
      title: 'It does not start',
      source: 'codehost',
      sourceId: `octo/hello#${number}`,
      repository: 'octo/hello',
      labels: ['ai-task'],
      metadata: {
        inbound: { provider: 'codehost', event: 'issues', action: 'opened', deliveryId: 'delivery-1' },
      },
    });
  });

  it('a signed webhook may be a form, signed over its bytes', async () => {
    const payload = JSON.stringify(openedIssue({ number, title: 'Ünïcode & more + 100%' }));
    const delivery = sign({
      ...fromGithub({}),
      body: Buffer.from(`payload=${encodeURIComponent(payload).replaceAll('%20', '+')}`),
    });
    delivery.headers['content-type'] = 'application/x-www-form-urlencoded';
    const { status, body } = await deliver(daemon, delivery);
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'accepted' } });
    expect(await taskOf(body.taskId)).toMatchObject({ title: 'Ünïcode & more + 100%' });
    expect(await daemon.client.inbound.get({ params: { id: body.id } })).toMatchObject({
      payload: JSON.parse(payload),
    });
  });

  it('a signed webhook that needs no task is ignored with a reason', async () => {
    const { status, body } = await deliver(daemon, fromGithub({ zen: 'Keep it simple' }, { event: 'ping' }));
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ignored', reason: expect.stringMatching(/\w/), id: expect.any(String) },
    });
  });

  it('a signed webhook arrives at the public host name without a cookie or an origin', async () => {
    const { body, headers } = fromGithub(openedIssue({ number }));
    const request = (host: string) =>
      sendRaw(
        daemon.url,
        rawRequest(
          [
            'POST /api/webhooks/codehost HTTP/1.1',
            `Host: ${host}`,
            ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
          ],
          body.toString(),
        ),
      );
    expect(await request('hooks.example.org')).toMatchObject({ status: 200 });
    expect(await request('other.example.org')).toMatchObject({ status: 403 });
  });

  it('a signed webhook of Linear may name its signature in either header', async () => {
    for (const header of ['linear-signature', 'tracker-b-signature', 'Tracker-B-Signature']) {
      const { body } = fromLinear(linearIssue(`ONE-${number}${header.length}`, Date.now()));
      const headers = { 'content-type': 'application/json', [header]: hexMac(secrets.tracker_b, body) };
      const answer = await deliver(daemon, { provider: 'tracker_b', headers, body });
      expect(answer, header).toMatchObject({ status: 200 });
    }
  });
});

describe('a webhook without a valid signature', () => {
  it('rejects an unsigned webhook and stores no part of it', async () => {
    const before = await stored();
    const right = fromGithub(openedIssue({ number }));
    const { 'x-hub-signature-256': signature = '', ...unsigned } = right.headers;
    const wrong: Record<string, string>[] = [
      unsigned,
      { ...unsigned, 'x-hub-signature-256': '' },
      { ...unsigned, 'x-hub-signature-256': signature.toUpperCase() },
      { ...unsigned, 'x-hub-signature-256': `${signature.slice(0, -1)}é` },
      { ...unsigned, 'x-hub-signature': signature },
      sign(right, 'another secret').headers,
    ];
    for (const [at, headers] of wrong.entries()) {
      const answer = await deliver(daemon, { ...right, headers: { ...headers, ...address(at) } });
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 403,
        body: { error: 'Invalid webhook signature' },
      });
    }
    expect(await stored()).toEqual(before);
  });

  it('rejects an unsigned webhook before it reads the body', async () => {
    for (const body of ['{', 'null', '['.repeat(100), '']) {
      const delivery = { ...fromGithub({}), body: Buffer.from(body) };
      delivery.headers = { ...delivery.headers, ...address() };
      expect(await deliver(daemon, delivery)).toMatchObject({ status: 403 });
    }
  });

  it('rejects a webhook with two signatures even if one is valid', async () => {
    const { body, headers } = fromGithub(openedIssue({ number }));
    const lines = Object.entries({ ...headers, ...address() }).map(([name, value]) => `${name}: ${value}`);
    const signature = `x-hub-signature-256: ${headers['x-hub-signature-256']}`;
    const host = `Host: ${new URL(daemon.url).host}`;
    const head = ['POST /api/webhooks/codehost HTTP/1.1', host, ...lines];
    expect(await sendRaw(daemon.url, rawRequest([...head, signature], body.toString()))).toMatchObject({
      status: 403,
    });
    expect(await sendRaw(daemon.url, rawRequest(head, body.toString()))).toMatchObject({ status: 200 });
  });

  it('answers 429 to the 21st unsigned webhook of an address within a minute, and still accepts a signed one', async () => {
    const right = fromGithub(openedIssue({ number }));
    const from = (last: number, headers = sign(right, 'wrong').headers) =>
      deliver(daemon, { ...right, headers: { ...headers, ...address(last) } });
    const statuses: number[] = [];
    for (let attempt = 1; attempt <= 20; attempt++) statuses.push((await from(1)).status);
    expect(new Set(statuses)).toEqual(new Set([403]));
    const refused = await from(1);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'Too many webhooks with an invalid signature. Try again later.' },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await from(2)).toMatchObject({ status: 403 });
    expect(await from(1, right.headers)).toMatchObject({ status: 200, body: { status: 'accepted' } });
  });
});

describe('webhook bodies', () => {
  it.each(['text/plain', 'application/jsonp', 'multipart/form-data; boundary=x', 'application/xml', ''])(
    'answers 415 to a webhook of type %j',
    async (type) => {
      const delivery = fromGithub(openedIssue({ number }));
      const answer = await deliver(daemon, {
        ...delivery,
        headers: { ...delivery.headers, 'content-type': type },
      });
      expect(answer).toMatchObject({ status: 415 });
    },
  );

  it.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"'])(
    'reads a webhook of type %s',
    async (type) => {
      const delivery = fromGithub(openedIssue({ number }));
      delivery.headers['content-type'] = type;
      expect(await deliver(daemon, delivery)).toMatchObject({ status: 200 });
    },
  );

  it('reads a webhook of up to 5 MiB and answers 413 above', async () => {
    const withBytes = (bytes: number) => {
      const empty = fromGithub(openedIssue({ number, body: '' })).body.length;
      return fromGithub(openedIssue({ number, body: 'x'.repeat(bytes - empty) }));
    };
    const LIMIT = 5 * 1024 * 1024;
    expect(await deliver(daemon, withBytes(LIMIT + 1))).toMatchObject({ status: 413 });
    const { status, body } = await deliver(daemon, withBytes(LIMIT));
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'accepted' } });
    const task = await taskOf(body.taskId);
    expect(task.description).toHaveLength(20_000);
    expect(task.prompt).toHaveLength(200_000);
  });

  it('answers 400 to a signed webhook that is not a JSON object or is nested too deeply', async () => {
    const before = await stored();
    for (const text of ['', '{', 'null', '[]', '1', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, '\xff'])
      expect(
        await deliver(daemon, sign({ ...fromGithub({}), body: Buffer.from(text, 'latin1') })),
        text,
      ).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^The body is/) } });
    expect(await stored()).toEqual(before);
  });
});

describe('a vendor without a webhook secret', () => {
  it('answers 503 to a webhook without a configured secret, and names the setting', async () => {
    await using bare = await startDaemon({ env: { TRACKER_A_WEBHOOK_SECRET: secrets.tracker_a } });
    const names = {
      codehost: 'svc config set webhooks.github.signingSecret, or CODEHOST_WEBHOOK_SECRET',
      tracker_b: 'svc config set webhooks.linear.signingSecret, or TRACKER_B_WEBHOOK_SECRET',
    };
    for (const provider of ['codehost', 'tracker_b'] as const) {
      const answer = await deliver(bare, { ...fromGithub({}), provider });
      expect(answer.status).toBe(503);
      expect(answer.body.error).toMatch(names[provider]);
      // Nothing is a signature under no secret.
      expect(await deliver(bare, sign({ ...fromGithub({}), provider }, ''))).toMatchObject({ status: 503 });
    }
    const jira = sign({
      provider: 'tracker_a',
      headers: { 'content-type': 'application/json; charset=UTF-8' },
      body: Buffer.from(JSON.stringify({ webhookEvent: 'jira:issue_deleted', issue: { key: 'A-1' } })),
    });
    expect(await deliver(bare, jira)).toMatchObject({ status: 200 });
  });

  it('accepts webhooks as soon as a secret is set, and only with the current one', async () => {
    await using bare = await startDaemon();
    const key = 'webhooks.github.signingSecret';
    const set = (value: string | null) => bare.client.config.update({ params: { key }, body: { value } });
    const signed = (secret: string) => deliver(bare, sign(fromGithub({}, { event: 'ping' }), secret));
    expect(await signed('first')).toMatchObject({ status: 503 });
    await set('first');
    expect(await signed('first')).toMatchObject({ status: 200 });
    await set('second');
    expect(await signed('first')).toMatchObject({ status: 403 });
    expect(await signed('second')).toMatchObject({ status: 200 });
    await set(null);
    expect(await signed('second')).toMatchObject({ status: 503 });
  });
});

describe('the task of a webhook', () => {
  const columns = (id = '') =>
    daemon.app.database.read
      .selectFrom('tasks')
      .select(['owner_id', 'is_trusted', 'may_command'])
      .where('id', '=', id)
      .executeTakeFirst();
  const setRules = (rules: Record<string, unknown> | null) =>
    daemon.client.config.update({
      params: { key: 'webhooks.github.rules' },
      body: { value: rules as never },
    });

  it('the task of a webhook is untrusted and never a command, though its owner is the administrator', async () => {
    const { body } = await deliver(daemon, fromGithub(openedIssue({ number })));
    expect(await columns(body.taskId)).toEqual({ owner_id: 'user_owner', is_trusted: 0, may_command: 0 });
  });

  it('a rule can make the task of a webhook trusted, but never a command', async () => {
    await setRules({ 'octo/*': { trusted: true } });
    const { body } = await deliver(daemon, fromGithub(openedIssue({ number })));
    await setRules(null);
    expect(await columns(body.taskId)).toEqual({ owner_id: 'user_owner', is_trusted: 1, may_command: 0 });
  });

  it('the task of a webhook belongs to the user in its rule while that account is enabled', async () => {
    const ann = await addUser(daemon, 'ann');
    await setRules({ 'octo/hello': { owner: 'Ann@example.org' } });
    const first = await deliver(daemon, fromGithub(openedIssue({ number })));
    expect(await columns(first.body.taskId)).toMatchObject({ owner_id: ann.caller.userId });
    await daemon.client.users.update({ params: { id: ann.caller.userId }, body: { disabled: true } });
    const second = await deliver(daemon, fromGithub(openedIssue({ number: 1000 + number })));
    await setRules(null);
    expect(await columns(second.body.taskId)).toMatchObject({ owner_id: 'user_owner' });
  });

  it('the task of a webhook belongs to the first administrator in cloud mode, and is rejected before there is one', async () => {
    await using cloud = await startDaemon({ flags: { ...inboundFlags, 'system.authMode': 'cloud' } });
    const delivery = fromGithub(openedIssue());
    expect(await deliver(cloud, delivery)).toMatchObject({
      status: 503,
      body: { error: 'No administrator exists who could own this task' },
    });
    await addUser(cloud, 'ann');
    expect(await deliver(cloud, delivery)).toMatchObject({ status: 503 });
    await addUser(cloud, 'bob', 'admin');
    await addUser(cloud, 'cid', 'admin');
    const { body } = await deliver(cloud, delivery);
    const [task] = await cloud.app.database.read.selectFrom('tasks').select(['id', 'owner_id']).execute();
    expect(task).toEqual({ id: body.taskId, owner_id: 'user_bob' });
  });
});

describe('the log of inbound webhooks', () => {
  it('only administrators read the log of inbound webhooks', async () => {
    const user = await addUser(daemon, 'eve');
    for (const [method, path] of [
      ['GET', '/api/webhooks/inbound'],
      ['GET', '/api/webhooks/inbound/x'],
      ['POST', '/api/webhooks/inbound/x/replay'],
    ] as const) {
      expect(await send(daemon, method, path)).toMatchObject({ status: 401 });
      expect(await send(daemon, method, path, undefined, user.headers)).toMatchObject({ status: 403 });
    }
  });

  it('lists inbound webhooks newest first, by provider and by status', async () => {
    await using own = await startDaemon({ flags: inboundFlags });
    const { list } = own.client.inbound;
    const opened = await deliver(own, fromGithub(openedIssue()));
    await deliver(own, fromGithub(labeledIssue()));
    await deliver(own, fromGithub(commentOn({}, 1, 'Thanks'), { event: 'issue_comment' }));
    await deliver(own, fromLinear(linearIssue('ONE-1', Date.now())));
    await deliver(own, fromLinear(linearIssue('ONE-2', 1)));
    const all = await list();
    expect(all).toMatchObject({ total: 5, limit: 50, offset: 0 });
    expect(all.deliveries.map(({ provider, status }) => `${provider} ${status}`)).toEqual([
      'tracker_b refused',
      'tracker_b accepted',
      'codehost ignored',
      'codehost duplicate',
      'codehost accepted',
    ]);
    expect(all.deliveries[4]).toMatchObject({
      id: opened.body.id,
      event: 'issues',
      action: 'opened',
      sourceId: 'octo/hello#7',
      taskId: opened.body.taskId,
      copies: 1,
      canReplay: true,
    });
    expect(await list({ query: { provider: 'tracker_b', limit: 1 } })).toMatchObject({
      total: 2,
      deliveries: [{ sourceId: 'ONE-2' }],
    });
    expect(await list({ query: { provider: 'codehost', status: 'accepted' } })).toMatchObject({ total: 1 });
    expect(await list({ query: { offset: 4 } })).toMatchObject({
      total: 5,
      deliveries: [{ id: opened.body.id }],
    });
  });

  it('shows the body of an inbound webhook as it arrived', async () => {
    const payload = openedIssue({ number });
    const { body } = await deliver(daemon, fromGithub(payload));
    const shown = await daemon.client.inbound.get({ params: { id: body.id } });
    expect(shown).toMatchObject({ delivery: { id: body.id, status: 'accepted' }, payload });
    await expect(daemon.client.inbound.get({ params: { id: 'inb_none' } })).rejects.toMatchObject({
      status: 404,
      message: 'Delivery not found',
    });
  });

  it('replays an inbound webhook and audits the user who requested it', async () => {
    const first = await deliver(daemon, fromGithub(openedIssue({ number })));
    await daemon.client.tasks.cancel({ params: { id: first.body.taskId ?? '' } });
    const replayed = await daemon.client.inbound.replay({ params: { id: first.body.id } });
    expect(replayed).toMatchObject({ status: 'accepted', taskId: expect.any(String) });
    expect(replayed.taskId).not.toBe(first.body.taskId);
    const { entries } = await daemon.client.audit.list({ query: { tool: 'webhooks.replayed' } });
    expect(entries).toMatchObject([{ userId: 'user_owner', address: '127.0.0.1', result: 'accepted' }]);
  });
});
