import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { usageGroups } from '../../../src/contract/usage.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { sized } from '../../helpers/long.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let ann: TestUser;
let task: string;

beforeAll(async () => {
  daemon = await startDaemon({
    extraAdapters: [
      testAdapter(async () => ({
        output: '',
        model: '=model',
        cost: '0.5',
        usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110 },
      })),
    ],
  });
  ann = await addUser(daemon, 'ann');
  const created = await ann.client.tasks.create({ body: { title: 'Annual secret', assignedAgent: 'test' } });
  task = created.task.id;
  await follow(ann.client, task);
  await daemon.app.usage.idle();
});
afterAll(() => daemon[Symbol.asyncDispose]());

it('shows users their own usage and an administrator that of all, with the titles of tasks', async () => {
  const sum = { inputTokens: 100, outputTokens: 10, calls: 1, costUsd: 0.5, unknownCalls: 0 };
  for (const { client } of [ann, daemon])
    expect(await client.usage.list({ query: { by: 'task' } })).toMatchObject({
      usage: [{ key: task, name: 'Annual secret', ...sum }],
      total: 1,
      limit: 100,
      offset: 0,
      by: 'task',
      sum,
    });
  const bob = await addUser(daemon, 'bob');
  expect(await bob.client.usage.list({ query: { by: 'task', taskId: task } })).toMatchObject({
    usage: [],
    total: 0,
    sum: { calls: 0 },
  });
});

it('answers CSV as a file', async () => {
  const answer = await fetch(`${daemon.url}/api/usage/csv?by=model`, { headers: ann.headers });
  expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
  const lines = (await answer.text()).split('\r\n');
  expect(lines).toEqual([
    'model,name,input_tokens,output_tokens,cached_tokens,calls,cost_usd,calls_of_unknown_cost',
    "'=model,,100,10,0,1,0.500000,0",
    '',
  ]);
});

it('takes any query without an error of its own, and shows nothing of others', async () => {
  const bob = await addUser(daemon, 'mallory');
  const names = [
    'from',
    'to',
    'by',
    'agent',
    'model',
    'provider',
    'userId',
    'tokenId',
    'repository',
    'taskId',
  ];
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...usageGroups,
      'user_ann',
      task,
      "' or 1=1 --",
      '2026-02-30',
      '0000-01-01',
      '9999-12-31',
      '%',
      '\0',
      '-1',
      '1e9',
      '__proto__',
    ),
  );
  const query = fc.array(fc.tuple(fc.constantFrom(...names, 'limit', 'offset', 'constructor'), value), {
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom('', '/csv'), async (pairs, path) => {
      const search = new URLSearchParams(
        pairs.map(([name, text]): [string, string] => [name, text.toWellFormed()]),
      );
      const answer = await fetch(`${daemon.url}/api/usage${path}?${search.toString()}`, {
        headers: bob.headers,
      });
      const text = await answer.text();
      expect(answer.status, text).toBeLessThan(500);
      expect(text).not.toContain('Annual secret');
      if (answer.status === 200 && path === '') expect(JSON.parse(text)).toMatchObject({ sum: { calls: 0 } });
    }),
    { numRuns: sized(150, 2000) },
  );
});
