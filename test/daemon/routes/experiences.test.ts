import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Experience } from '../../../src/contract/experiences.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  daemon = await startDaemon();
  [ann, bob] = await Promise.all([addUser(daemon, 'ann'), addUser(daemon, 'bob')]);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const base = '/api/memory/experiences';
async function send(method: string, path: string, body?: string) {
  const response = await fetch(new URL(path, daemon.url), {
    method,
    headers: { ...bob.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

const likely = {
  type: 'error_recovery' as const,
  intent: 'Repair the migration that failed on startup',
  solution: ['Restore the copy of the database', 'Run the migration again'],
  successScore: 0.9,
  tags: ['database', 'startup'],
};

describe('an experience', () => {
  let experience: Experience;

  it('records an experience', async () => {
    const { conversation } = await ann.client.conversations.create({ body: {} });
    const body = { ...likely, sourceConversationId: conversation.id };
    ({ experience } = await ann.client.experiences.create({ body }));
    expect(experience).toEqual({
      ...body,
      id: expect.any(String),
      weight: 1,
      useCount: 0,
      origin: { kind: 'user', userId: 'user_ann', conversationId: conversation.id, trusted: true },
      createdAt: expect.any(String),
    });
    const byConversation = { query: { conversationId: conversation.id } };
    expect((await ann.client.experiences.list(byConversation)).experiences).toEqual([experience]);
  });

  it('finds an experience by its intent, its steps and its tags', async () => {
    for (const q of ['migration fails', 'restore a copy', 'startup', 'How do I repair a failed migration?']) {
      const { experiences, method } = await ann.client.experiences.search({ query: { q } });
      expect(method).toBe('keyword');
      expect(experiences, q).toMatchObject([{ id: experience.id, score: expect.any(Number) }]);
    }
    const nothing = await ann.client.experiences.search({ query: { q: 'zebra' } });
    expect(nothing.experiences).toEqual([]);
    for (const client of [bob.client, daemon.client])
      expect((await client.experiences.search({ query: { q: 'migration' } })).experiences).toEqual([]);
  });

  it('an experience gains weight with each use, also with simultaneous uses', async () => {
    const params = { id: experience.id };
    const used = (await ann.client.experiences.use({ params })).experience;
    expect(used).toMatchObject({ useCount: 1, lastUsedAt: expect.any(String) });
    expect(used.weight).toBeCloseTo(1.1, 12);
    await Promise.all(Array.from({ length: 50 }, () => daemon.client.experiences.use({ params })));
    expect((await ann.client.experiences.get({ params })).experience).toMatchObject({ useCount: 51 });
    const heavy = await ann.client.experiences.list({ query: { minWeight: 1.5 } });
    expect(heavy).toMatchObject({ experiences: [{ id: experience.id }], total: 1, limit: 50, offset: 0 });
  });

  it('records a duplicate experience once', async () => {
    await expect(ann.client.experiences.create({ body: likely })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(experience.id),
    });
    const nearly = { ...likely, intent: 'repair THE migration, that failed on startup!' };
    await expect(ann.client.experiences.create({ body: nearly })).rejects.toMatchObject({ status: 409 });
  });

  it('an experience decays with a very short half-life', async () => {
    const { decayed } = await ann.client.experiences.decay({ body: { halfLifeDays: 30 } });
    expect(decayed).toBe(1);
    expect(await bob.client.experiences.decay()).toEqual({ decayed: 0 });
    const { experience: after } = await ann.client.experiences.get({ params: { id: experience.id } });
    expect(after.weight).toBeGreaterThan(1.9);
  });

  it('pruning removes light experiences, also from search', async () => {
    expect(await ann.client.experiences.prune()).toEqual({ pruned: 0 });
    expect(await bob.client.experiences.prune({ body: { minWeight: 2 } })).toEqual({ pruned: 0 });
    expect(await ann.client.experiences.prune({ body: { minWeight: 2 } })).toEqual({ pruned: 1 });
    expect((await ann.client.experiences.search({ query: { q: 'migration' } })).experiences).toEqual([]);
    await expect(ann.client.experiences.get({ params: { id: experience.id } })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('a forgotten experience is not found again', async () => {
    const { experience: other } = await ann.client.experiences.create({ body: likely });
    const params = { id: other.id };
    expect((await ann.client.experiences.search({ query: { q: 'migration' } })).experiences).toHaveLength(1);
    expect(await ann.client.experiences.delete({ params })).toEqual({ message: 'Experience deleted' });
    await expect(ann.client.experiences.delete({ params })).rejects.toMatchObject({ status: 404 });
    expect((await ann.client.experiences.search({ query: { q: 'migration' } })).experiences).toEqual([]);
    expect((await ann.client.experiences.list()).total).toBe(0);
  });
});

it('the experience of an untrusted run stays untrusted', async () => {
  const origin = { kind: 'task' as const, userId: 'user_ann', taskId: 'task_1', trusted: false };
  const { id } = await daemon.app.experiences.record(
    ann.caller,
    { ...likely, intent: 'Repair the stranger' },
    origin,
  );
  expect((await ann.client.experiences.get({ params: { id } })).experience.origin).toEqual({
    ...origin,
    verified: false,
  });
  const { experiences } = await ann.client.experiences.search({ query: { q: 'stranger' } });
  expect(experiences).toMatchObject([{ id, origin }]);
});

it('the first search after a restart finds earlier experiences', async () => {
  const first = await startDaemon();
  await first.client.experiences.create({ body: likely });
  await first.stop();
  await using second = await startDaemon({ home: first.home });
  const { experiences } = await second.client.experiences.search({ query: { q: 'migration' } });
  expect(experiences).toMatchObject([{ intent: likely.intent }]);
});

describe('invalid input for experiences', () => {
  const record = (change: string) => send('POST', base, JSON.stringify(likely).replace(/}$/, `,${change}}`));

  it.each([
    '"type":"other"',
    '"type":null',
    '"intent":""',
    '"intent":"   "',
    '"intent":7',
    `"intent":"${'a'.repeat(2001)}"`,
    '"solution":[]',
    '"solution":"one"',
    '"solution":[""]',
    '"solution":[1]',
    `"solution":${JSON.stringify(Array.from({ length: 51 }, String))}`,
    '"successScore":1e999',
    '"successScore":-0.1',
    '"successScore":1.1',
    '"successScore":"1"',
    '"successScore":NaN',
    '"successScore":null',
    '"tags":["a","b",""]',
    '"tags":"a"',
    `"tags":${JSON.stringify(Array.from({ length: 21 }, String))}`,
    '"sourceConversationId":""',
    '"intent":"Hide \\u202e this"',
    '"intent":"Cut \\ud800 here"',
    '"solution":["Task completed successfully."]',
    '"solution":["As an AI language model, I cannot do that"]',
  ])('rejects the experience %.60s', async (change) => {
    const { status, text } = await record(change);
    expect(status, text).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: expect.any(String) });
  });

  it('rejects a secret in an experience, and does not repeat it', async () => {
    const { status, text } = await record('"solution":["Log in with password=hunter2"]');
    expect(status).toBe(400);
    expect(text).toContain('a password');
    expect(text).not.toContain('hunter2');
  });

  it('rejects an experience of an unknown conversation or of another user', async () => {
    const { conversation } = await ann.client.conversations.create({ body: {} });
    for (const id of ['conv_nothing', conversation.id])
      expect((await record(`"sourceConversationId":"${id}"`)).status).toBe(404);
  });

  it.each(['NaN', 'Infinity', '1e999', '-1', '1e1', '0x1', '', 'a', '1,5'])(
    'rejects the weight %j',
    async (weight) => {
      expect((await send('GET', `${base}?minWeight=${weight}`)).status).toBe(400);
    },
  );

  it('has no experience with a tag that no database stores', async () => {
    for (const tag of ['%00', 'a%00b']) {
      const { status, text } = await send('GET', `${base}?tag=${tag}`);
      expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 200, total: 0 });
    }
  });

  it.each(['type=other', 'tag=', 'limit=0', 'limit=501', 'offset=-1', `tag=${'a'.repeat(51)}`])(
    'rejects the list query %.30s',
    async (query) => {
      expect((await send('GET', `${base}?${query}`)).status).toBe(400);
    },
  );

  it.each(['', 'q=', 'q=a&limit=0', 'q=a&limit=101', 'q=a&limit=1.5'])(
    'rejects the search query %j',
    async (query) => {
      expect((await send('GET', `${base}/search?${query}`)).status).toBe(400);
    },
  );

  it.each(['"*" OR NEAR(', '%00', '%F0%9F%98%80', '---', 'a:b AND NOT c'])(
    'a search without words finds nothing: %s',
    async (q) => {
      const { status, text } = await send('GET', `${base}/search?q=${q}`);
      expect(status, text).toBe(200);
      expect(JSON.parse(text)).toMatchObject({ experiences: [] });
    },
  );

  it.each([
    ['decay', '{"halfLifeDays":0}'],
    ['decay', '{"halfLifeDays":-1}'],
    ['decay', '{"halfLifeDays":1e999}'],
    ['decay', '{"halfLifeDays":"30"}'],
    ['decay', '{"halfLifeDays":null}'],
    ['decay', '{"halfLifeDays":NaN}'],
    ['decay', '[]'],
    ['prune', '{"minWeight":-1}'],
    ['prune', '{"minWeight":2.1}'],
    ['prune', '{"minWeight":1e999}'],
    ['prune', '{"minWeight":"1"}'],
  ])('rejects the %s body %s', async (path, body) => {
    expect((await send('POST', `${base}/${path}`, body)).status).toBe(400);
  });

  it('answers 404 to an unknown experience id of any length', async () => {
    for (const id of ['exp_nothing', 'a'.repeat(200), '%00', '..%2f..']) {
      expect((await send('GET', `${base}/${id}`)).status).toBe(404);
      expect((await send('DELETE', `${base}/${id}`)).status).toBe(404);
      expect((await send('POST', `${base}/${id}/use`)).status).toBe(404);
    }
  });
});
