import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let ann: TestUser;
beforeAll(async () => {
  daemon = await startDaemon();
  ann = await addUser(daemon, 'ann');
});
afterAll(() => daemon[Symbol.asyncDispose]());

const statusOf = async (method: string, path: string, body?: string) =>
  (
    await fetch(new URL(path, daemon.url), {
      method,
      headers: { ...ann.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    })
  ).status;

it('memory sessions are created, listed and archived', async () => {
  const { conversation } = await ann.client.conversations.create({ body: {} });
  const { session } = await ann.client.memory.createSession({
    body: { name: ' Sprint ', conversationId: conversation.id },
  });
  expect(session).toEqual({
    id: expect.any(String),
    name: 'Sprint',
    userId: 'user_ann',
    conversationId: conversation.id,
    status: 'active',
    createdAt: expect.any(String),
  });
  const newer = (await ann.client.memory.createSession({ body: { name: 'Newer' } })).session;
  expect(await ann.client.memory.listSessions()).toEqual({
    sessions: [newer, session],
    total: 2,
    limit: 50,
    offset: 0,
  });
  const archived = (await ann.client.memory.archiveSession({ params: { id: session.id } })).session;
  expect(archived).toEqual({ ...session, status: 'archived', archivedAt: expect.any(String) });
  await expect(ann.client.memory.archiveSession({ params: { id: session.id } })).rejects.toMatchObject({
    status: 400,
    message: 'The memory session is already archived',
  });
  const listed = await ann.client.memory.listSessions({
    query: { status: 'active', limit: 1, offset: 0 },
  });
  expect(listed).toEqual({ sessions: [newer], total: 1, limit: 1, offset: 0 });
});

describe('what makes no sense', () => {
  it.each([
    '{}',
    '{"name":""}',
    '{"name":"  "}',
    '{"name":1}',
    '{"name":null}',
    '[]',
    `{"name":"${'a'.repeat(201)}"}`,
    '{"name":"a","userId":""}',
  ])('rejects the memory session %.40s', async (body) => {
    expect(await statusOf('POST', '/api/memory/sessions', body)).toBe(400);
  });

  it.each(['status=open', 'limit=0', 'limit=501', 'limit=x', 'offset=-1'])(
    'rejects the session list query %s',
    async (query) => {
      expect(await statusOf('GET', `/api/memory/sessions?${query}`)).toBe(400);
    },
  );

  it.each(['{"name":"a","conversationId":"conv_nothing"}', '{"name":"a","userId":"user_owner"}'])(
    'answers 404 to the session path %s',
    async (body) => {
      expect(await statusOf('POST', '/api/memory/sessions', body)).toBe(404);
    },
  );

  it('answers 404 to an unknown session id of any length', async () => {
    for (const id of ['memsess_nothing', 'a'.repeat(200), '%00', '..%2f..'])
      expect(await statusOf('POST', `/api/memory/sessions/${id}/archive`)).toBe(404);
  });
});
