import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { send } from '../helpers/http.ts';
import { allRoutes, samplePath } from '../helpers/routes.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

const lines: string[] = [];
const note = (fields: object, message: string) => void lines.push(`${message} ${spell(fields)}`);
const log: Log = { debug: note, info: note, warn: note, error: note };

/** Everything that an error holds, its causes too. */
const spell = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each instanceof Error
      ? { ...Object.fromEntries(Object.entries(each)), text: `${each.stack}`, cause: each.cause }
      : each,
  );

let planted = 0;
/** A secret that stands out wherever it turns up; with a letter and a number, so that it may be a password. */
const plant = () => `canary${String(planted++).padStart(4, '0')}planted7secret`;
const anyCanary = /canary\d{4}planted7secret/;

let daemon: TestDaemon;
let user: TestUser;
let calls = 0;
const answers: string[] = [];
/** Sends a request, and keeps what comes back. */
async function ask(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  // Each comes from another address, so that no limit is in the way.
  calls++;
  const from = { 'x-forwarded-for': `10.0.${calls >> 8}.${calls & 255}` };
  const answer = await send(daemon, method, path, body, { ...from, ...headers });
  answers.push(
    `${method} ${path.replace(anyCanary, '…').split('?')[0]}: ${JSON.stringify([answer.body, [...answer.headers]])}`,
  );
  return answer;
}

beforeAll(async () => {
  const flags = {
    'system.registrationMode': 'open' as const,
    'server.trustedProxies': ['127.0.0.0/8'],
  };
  daemon = await startDaemon({ log, flags });
  user = await addUser(daemon, 'ann');
});
afterAll(() => daemon[Symbol.asyncDispose]());

const sessionOf = async (userId: string) => ({
  cookie: `service_session=${(await daemon.app.sessions.create({ userId, kind: 'sign-in' })).token}`,
});

describe('a planted secret', () => {
  it.each(allRoutes)('sends a planted secret to $name in every part of a request', async ({ route }) => {
    const { method } = route;
    const path = samplePath(route);
    const hasBody = route.body !== undefined;
    // Sessions of their own: one route ends the one that it is called with.
    for (const who of [{}, await sessionOf(user.caller.userId), await sessionOf('user_owner')]) {
      await ask(method, path, hasBody ? { [plant()]: plant() } : undefined, who);
      await ask(method, path, undefined, { ...who, authorization: `Bearer ${plant()}` });
      await ask(method, path, undefined, { ...who, authorization: plant() });
      await ask(method, `${path}?${plant()}=${plant()}&token=${plant()}`, undefined, who);
      await ask(method, path, undefined, { cookie: `service_session=${plant()}; other=${plant()}` });
      await ask(method, path, undefined, { ...who, 'x-forwarded-for': plant(), referer: plant() });
    }
    for (const text of [`{"a": "${plant()}`, `"${plant()}"`, plant()]) {
      const init = {
        method,
        headers: { ...(await sessionOf('user_owner')), 'content-type': 'application/json' },
      };
      const response = await fetch(`${daemon.url}${path}`, {
        ...init,
        ...(method !== 'GET' && { body: text }),
      });
      answers.push(await response.text());
    }
  });

  it('accepts a planted secret in every field for secrets', async () => {
    const password = plant();
    const account = { email: 'bob@example.org', password, name: 'Bob' };
    const { status, cookie } = await ask('POST', '/api/auth/signup', account);
    expect(status).toBe(200);
    await ask('POST', '/api/auth/login', { email: account.email, password: plant() });
    await ask('POST', '/api/auth/login', { email: plant(), password: plant() });
    const change = { currentPassword: password, newPassword: plant() };
    expect((await ask('PUT', '/api/auth/password', change, { cookie })).status).toBe(200);
    await ask('PUT', '/api/auth/password', { ...change, currentPassword: plant() }, { cookie });
    const key = await ask('PUT', '/api/auth/access-key', { key: plant() }, daemon.headers);
    expect(key.status).toBe(200);
    await ask('POST', '/api/auth/verify-access-key', { key: plant() });
    await ask('POST', '/api/auth/sign-in-links/redeem', { token: plant() });
    await ask('POST', '/api/auth/signup', { ...account, inviteCode: plant() });
    await ask('POST', '/api/devices/pairing/inspect', { code: plant() }, daemon.headers);
    await ask('GET', `/api/devices/pairing/status/${plant()}`);
    await ask('POST', '/api/auth/codehost/token', { code: plant(), state: plant(), codeVerifier: plant() });
    for (const provider of ['codehost', 'tracker_a', 'tracker_b']) {
      const key = `integrations.${provider}.clientSecret`;
      await ask('PUT', `/api/config/${key}`, { value: plant() }, daemon.headers);
      await ask('GET', `/api/auth/${provider}/callback?code=${plant()}&state=${plant()}`);
    }
    await ask('GET', '/api/config', undefined, daemon.headers);
    const hook = {
      url: 'https://receiver.invalid/',
      events: ['task.failed'],
      secret: plant(),
      token: plant(),
    };
    const made = await ask('POST', '/api/webhooks', hook, daemon.headers);
    expect(made.status).toBe(201);
    const { id } = (made.body as { webhook: { id: string } }).webhook;
    const rotation = { secret: plant() };
    const path = `/api/webhooks/${id}/rotate-secret`;
    expect((await ask('POST', path, rotation, daemon.headers)).status).toBe(200);
    const renewed = { token: plant() };
    expect((await ask('PATCH', `/api/webhooks/${id}`, renewed, daemon.headers)).status).toBe(200);
    await ask('GET', '/api/webhooks', undefined, daemon.headers);
    await ask('POST', `/api/webhooks/${id}/test`, undefined, daemon.headers);
  });

  it('searches also for secrets that the daemon generates', async () => {
    const { token, notifySecret } = await daemon.client.tokens.create({
      body: { name: 'x', scopes: ['gateway:write'] },
    });
    const { code } = await daemon.client.invites.create({ body: {} });
    const link = await daemon.client.auth.createSignInLink();
    const pairing = await daemon.client.pairing.createQr();
    const session = await daemon.app.sessions.create({ userId: 'user_owner', kind: 'sign-in' });
    const { webhook } = await daemon.client.webhooks.create({
      body: { url: 'https://receiver.invalid/', events: ['task.failed'] },
    });
    const rotated = await daemon.client.webhooks.rotateSecret({ params: { id: webhook.id } });
    const ofWebhooks = [webhook.secret, rotated.webhook.secret];
    const secrets = [
      ...ofWebhooks,
      token,
      notifySecret,
      code,
      link.token,
      pairing.requestId,
      session.token,
      pairing.code,
    ];
    const stored = await everythingStored();
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(10);
      expect(stored.filter(({ text }) => text.includes(secret ?? '')).map(({ path }) => path)).toEqual([]);
      expect(lines.filter((line) => line.includes(secret ?? ''))).toEqual([]);
    }
  });

  it('no planted secret is in an answer, a log or a file', async () => {
    expect(planted).toBeGreaterThan(200);
    expect(lines.filter((line) => anyCanary.test(line))).toEqual([]);
    expect(answers.filter((answer) => anyCanary.test(answer))).toEqual([]);
    const found = (await everythingStored()).filter(({ text }) => anyCanary.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

/** The bytes of every file of the daemon, and of a backup as the daemon makes one before it changes its schema. */
async function everythingStored(): Promise<{ path: string; text: string }[]> {
  const { backup, DatabaseSync } = await import('node:sqlite');
  const source = new DatabaseSync(`${daemon.home}/svc.db`);
  await backup(source, `${daemon.home}/svc.db.before-test`);
  source.close();
  return readdirSync(daemon.home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(daemon.home, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }));
}
