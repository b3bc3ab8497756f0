import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { auditedEvents } from '../../helpers/audit.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { storedTexts } from '../../helpers/daemon-rows.ts';
import { send } from '../../helpers/http.ts';
import { follow, testAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const listTasks = (daemon: TestDaemon, token: string) =>
  send(daemon, 'GET', '/api/tasks', undefined, bearer(token));

describe('an API token', () => {
  it('shows an API token once, and stores only its hash', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const made = await ann.client.tokens.create({
      body: { name: 'ci', scopes: ['gateway:write', 'gateway:write'] },
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^token_/),
      token: expect.stringMatching(/^svc_[\w-]{43}$/),
      name: 'ci',
      scopes: ['gateway:write'],
      prefix: made.token.slice(0, 12),
      createdAt: expect.any(String),
      notifySecret: expect.stringMatching(/^whsec_/),
    });
    const { tokens } = await ann.client.tokens.list();
    expect(tokens).toMatchObject([{ id: made.id, name: 'ci', prefix: made.prefix }]);
    expect(JSON.stringify(tokens)).not.toContain(made.token);
    await daemon.stop();
    const stored = (await storedTexts(daemon)).join('');
    expect(stored).toContain(made.id);
    expect(stored).not.toContain(made.token.slice(12));
  });

  it('an API token has the rights of its scopes, as its user and not as an administrator', async () => {
    const doing = testAdapter(async () => ({ output: 'done' }), { type: 'doing' });
    await using daemon = await startDaemon({ extraAdapters: [doing] });
    const ann = await addUser(daemon, 'ann');
    const { task: foreign } = await ann.client.tasks.create({ body: { title: 'Of Ann' } });
    const { token } = await daemon.client.tokens.create({
      body: { name: 'script', scopes: ['tasks:write'] },
    });
    const body = { title: 'By a script', assignedAgent: 'doing' };
    const created = await send(daemon, 'POST', '/api/tasks', body, bearer(token));
    expect(created.status).toBe(201);
    const { task } = created.body as { task: { id: string } };
    expect((await follow(daemon.client, task.id)).task.status).toBe('completed');
    expect((await listTasks(daemon, token)).body).toMatchObject({ total: 1 });
    expect((await send(daemon, 'GET', `/api/tasks/${foreign.id}`, undefined, bearer(token))).status).toBe(
      404,
    );
    const command = { title: 'Run', assignedAgent: 'command', prompt: 'true' };
    expect((await send(daemon, 'POST', '/api/tasks', command, bearer(token))).status).toBe(403);
    expect(
      (await send(daemon, 'POST', '/api/tokens', { name: 'x', scopes: ['tasks:read'] }, bearer(token)))
        .status,
    ).toBe(403);
    expect((await send(daemon, 'GET', '/api/auth/me', undefined, bearer(token))).status).toBe(401);
  });

  it('an API token runs commands only with the scope that an administrator grants', async () => {
    await using daemon = await startDaemon();
    const ann = await addUser(daemon, 'ann');
    const scopes = ['tasks:write', 'agents:command'] as const;
    await expect(
      ann.client.tokens.create({ body: { name: 'x', scopes: [...scopes] } }),
    ).rejects.toMatchObject({
      status: 403,
    });
    const { token } = await daemon.client.tokens.create({ body: { name: 'x', scopes: [...scopes] } });
    const command = { title: 'Run', assignedAgent: 'command', prompt: 'echo hello' };
    const { body } = await send(daemon, 'POST', '/api/tasks', command, bearer(token));
    const { task } = await follow(daemon.client, (body as { task: { id: string } }).task.id);
    expect(task).toMatchObject({ status: 'completed', result: { output: 'hello\n' } });
  });

  it('an API token expires, and records its last use', async () => {
    const clock = { ms: Date.now() };
    const runtime = { ...systemRuntime, now: () => new Date(clock.ms), monotonic: () => clock.ms };
    await using daemon = await startDaemon({ runtime });
    const body = { name: 'short', scopes: ['tasks:read' as const], expiresInDays: 1 };
    const { token, expiresAt } = await daemon.client.tokens.create({ body });
    expect(Date.parse(expiresAt ?? '')).toBe(clock.ms + 86_400_000);
    expect((await listTasks(daemon, token)).status).toBe(200);
    const usedAt = new Date(clock.ms).toISOString();
    await until(async () => expect((await daemon.client.tokens.list()).tokens[0]?.lastUsedAt).toBe(usedAt));
    clock.ms += 86_400_000;
    expect((await listTasks(daemon, token)).status).toBe(401);
  });

  it('a revoked API token is rejected, however many requests use it at that moment', async () => {
    await using daemon = await startDaemon();
    const { id, token } = await daemon.client.tokens.create({ body: { name: 'x', scopes: ['tasks:read'] } });
    const using = Array.from({ length: 500 }, () => daemon.app.tokens.resolve(token));
    const revoked = daemon.client.tokens.revoke({ params: { id } });
    const more = Array.from({ length: 500 }, () => daemon.app.tokens.resolve(token));
    await revoked;
    const late = await Promise.all(Array.from({ length: 1000 }, () => daemon.app.tokens.resolve(token)));
    expect(late.filter(Boolean)).toEqual([]);
    await Promise.all([...using, ...more]);
    expect((await listTasks(daemon, token)).status).toBe(401);
    expect(await auditedEvents(daemon)).toEqual(['tokens.created ok', 'tokens.revoked ok']);
  });

  it('an API token of another user is not found', async () => {
    await using daemon = await startDaemon();
    const [ann, bob] = [await addUser(daemon, 'ann'), await addUser(daemon, 'bob')];
    const { id } = await ann.client.tokens.create({ body: { name: 'x', scopes: ['tasks:read'] } });
    await expect(bob.client.tokens.revoke({ params: { id } })).rejects.toMatchObject({ status: 404 });
    expect((await bob.client.tokens.list()).tokens).toEqual([]);
    await daemon.client.tokens.revoke({ params: { id } });
    expect((await ann.client.tokens.list()).tokens).toEqual([]);
  });

  it.each([
    { scopes: ['tasks:read'] },
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['everything'] },
    { name: 'x', scopes: 'tasks:read' },
    { name: 'x', scopes: ['tasks:read'], expiresInDays: 0 },
    { name: '', scopes: ['tasks:read'] },
  ])('rejects the API token input %j', async (body) => {
    await using daemon = await startDaemon();
    expect((await send(daemon, 'POST', '/api/tokens', body, daemon.headers)).status).toBe(400);
  });

  it.each(['svc_', 'svc_x', 'Bearer', 'svc_\u00e9'])('rejects the API token %j', async (token) => {
    await using daemon = await startDaemon();
    expect((await listTasks(daemon, encodeURIComponent(token))).status).toBe(401);
  });
});
