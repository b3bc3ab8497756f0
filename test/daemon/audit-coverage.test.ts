import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeAudit } from '../../src/contract/route-audit.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { send } from '../helpers/http.ts';
import { allRoutes } from '../helpers/routes.ts';

const root = new URL('../..', import.meta.url).pathname;
const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const rows = Object.entries(routeAudit);

describe('the routes that change something', () => {
  it('leave an audit entry, or say why not', () => {
    const changing = allRoutes.filter(({ route }) => route.method !== 'GET').map(({ route }) => keyOf(route));
    expect(changing.filter((key) => !(key in routeAudit))).toEqual([]);
  });

  it('are routes of the contract', () => {
    const known = new Set(allRoutes.map(({ route }) => keyOf(route)));
    expect(rows.map(([key]) => key).filter((key) => !known.has(key))).toEqual([]);
  });

  it('say why not in a sentence', () => {
    for (const [key, audit] of rows)
      if ('none' in audit) expect(audit.none, key).toMatch(/^[A-Z][^.]+ [^.]+ [^.]+$/);
  });

  it('have their own event in core where they say so', () => {
    const core = globSync('src/core/**/*.ts', { cwd: root })
      .map((file) => readFileSync(`${root}${file}`, 'utf8'))
      .join('\n');
    // One decision, approved or rejected.
    const inTemplate = new Set(['pairing.approved', 'pairing.rejected']);
    expect(core).toContain('tool: `pairing.${decision.status}`');
    const own = rows.flatMap(([, audit]) => ('ownEvent' in audit ? [audit.ownEvent] : []));
    expect(own.filter((event) => !inTemplate.has(event) && !core.includes(`'${event}'`))).toEqual([]);
  });
});

describe('a change by a person', () => {
  let daemon: TestDaemon;
  beforeAll(async () => void (daemon = await startDaemon()));
  afterAll(() => daemon[Symbol.asyncDispose]());
  const call = (method: string, path: string, body?: unknown) =>
    send(daemon, method, path, body, daemon.headers);
  const entries = async (tool: string) => (await daemon.client.audit.list({ query: { tool } })).entries;

  it.each<[string, string, string, unknown?]>([
    ['queue.paused', 'POST', '/api/queue/pause'],
    ['queue.resumed', 'POST', '/api/queue/resume'],
    ['memory.cleared', 'DELETE', '/api/memory/all'],
    ['tasks.exported', 'GET', '/api/tasks/export'],
    ['backup.created', 'POST', '/api/backups'],
    ['tasks.imported', 'POST', '/api/tasks/import', { version: '1', tasks: [] }],
    ['auth.sign_in_link_created', 'POST', '/api/auth/sign-in-links', {}],
    ['auth.profile_changed', 'PATCH', '/api/auth/me', { name: 'A new name' }],
    ['pairing.cleaned_up', 'POST', '/api/devices/pairing/cleanup'],
    ['experiences.pruned', 'POST', '/api/memory/experiences/prune', {}],
  ])('is recorded as %s', async (event, method, path, body) => {
    const { status, body: answer } = await call(method, path, body);
    expect([200, 201, 202], JSON.stringify(answer)).toContain(status);
    expect(await entries(event)).toMatchObject([
      {
        kind: 'security',
        userId: expect.any(String),
        address: expect.stringContaining('127.0.0.1'),
        result: 'ok',
      },
    ]);
  });

  it('is recorded with the names of the fields, never with their values', async () => {
    await call('PATCH', '/api/auth/me', { bio: 'something private' });
    const [entry] = await entries('auth.profile_changed');
    expect(entry?.arguments).toMatchObject({ fields: ['bio'] });
    expect(JSON.stringify(entry)).not.toContain('private');
  });

  it('is recorded with the id of what was made, changed and deleted', async () => {
    const { schedule } = await daemon.client.schedules.create({
      body: { name: 'a', cron: '0 3 * * *', task: { title: 'a' } },
    });
    const { id } = schedule;
    await daemon.client.schedules.update({ params: { id }, body: { name: 'b' } });
    await daemon.client.schedules.delete({ params: { id } });
    for (const event of ['schedules.created', 'schedules.changed', 'schedules.deleted'])
      expect(await entries(event), event).toMatchObject([{ arguments: { id } }]);
    const { conversation } = await daemon.client.conversations.create({ body: {} });
    await daemon.client.conversations.delete({ params: { id: conversation.id } });
    expect(await entries('conversations.deleted')).toMatchObject([{ arguments: { id: conversation.id } }]);
  });

  it('that failed is no change', async () => {
    const before = (await entries('conversations.deleted')).length;
    expect((await call('DELETE', '/api/chat/conversations/nothing')).status).toBe(404);
    expect(await entries('conversations.deleted')).toHaveLength(before);
  });

  it('is part of the chain', async () => {
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
  });
});
