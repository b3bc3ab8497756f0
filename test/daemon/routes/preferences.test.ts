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

async function send(method: string, path: string, body?: string) {
  const response = await fetch(new URL(path, daemon.url), {
    method,
    headers: { ...ann.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

it('preferences are tracked, listed and forgotten', async () => {
  const track = (category: string, value: string) =>
    ann.client.preferences.track({ body: { category, value } });
  const { preference } = await track('theme', 'dark');
  expect(preference).toEqual({
    id: expect.any(String),
    userId: 'user_ann',
    category: 'theme',
    value: 'dark',
    confidence: 0.5,
    count: 1,
    origin: { kind: 'user', userId: 'user_ann', trusted: true },
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect((await track('Theme', 'DARK')).preference).toMatchObject({
    id: preference.id,
    confidence: 0.75,
    count: 2,
  });
  const vim = (await track('editor', 'vim')).preference;
  for (const client of [ann.client, daemon.client]) {
    const { preferences } = await client.preferences.list({ params: { userId: 'user_ann' } });
    expect(preferences.map(({ id }) => id)).toEqual([preference.id, vim.id]);
  }
  expect((await daemon.client.preferences.list({ params: { userId: 'me' } })).preferences).toEqual([]);
  const mine = { userId: 'me', id: vim.id };
  expect(await ann.client.preferences.delete({ params: mine })).toEqual({ message: 'Preference deleted' });
  await expect(ann.client.preferences.delete({ params: mine })).rejects.toMatchObject({ status: 404 });
  expect((await ann.client.preferences.list({ params: { userId: 'me' } })).preferences).toHaveLength(1);
});

it('an administrator tracks preferences only for existing users', async () => {
  const body = { category: 'language', value: 'German', userId: 'user_ann' };
  const { preference } = await daemon.client.preferences.track({ body });
  expect(preference).toMatchObject({ userId: 'user_ann', origin: { kind: 'user', userId: 'user_owner' } });
  await expect(
    daemon.client.preferences.track({ body: { ...body, userId: 'user_nobody' } }),
  ).rejects.toMatchObject({ status: 404, message: 'User not found' });
  await expect(
    ann.client.preferences.track({ body: { ...body, userId: 'user_owner' } }),
  ).rejects.toMatchObject({ status: 404, message: 'User not found' });
});

describe('invalid preferences', () => {
  it.each([
    '{}',
    '{"category":"a"}',
    '{"value":"a"}',
    '{"category":"","value":"a"}',
    '{"category":"a","value":"  "}',
    '{"category":"a","value":1}',
    '{"category":["a"],"value":"a"}',
    `{"category":"${'a'.repeat(101)}","value":"a"}`,
    `{"category":"a","value":"${'a'.repeat(2001)}"}`,
    '{"category":"a","value":"a\\u0000b"}',
    '{"category":"a","value":"---"}',
    '{"category":"a","value":"b","userId":""}',
  ])('rejects the preference %.50s', async (body) => {
    expect((await send('POST', '/api/memory/preferences', body)).status).toBe(400);
  });

  it('rejects a secret as a preference, and does not repeat it', async () => {
    const { status, text } = await send(
      'POST',
      '/api/memory/preferences',
      '{"category":"database password","value":"password=hunter2"}',
    );
    expect(status).toBe(400);
    expect(text).toContain('a password');
    expect(text).not.toContain('hunter2');
  });

  it('answers 404 to an unknown preference id of any length', async () => {
    for (const id of ['pref_nothing', 'a'.repeat(200), '%00']) {
      expect((await send('DELETE', `/api/memory/preferences/me/${id}`)).status).toBe(404);
      expect((await send('GET', `/api/memory/preferences/${id}`)).status).toBe(404);
    }
  });
});
