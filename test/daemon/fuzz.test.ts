import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { sized } from '../helpers/long.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon();
  await daemon.client.tasks.create({ body: { title: 'The first one' } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function send(method: string, path: string, body?: string) {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { ...daemon.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, body: await response.text() };
}

describe('random input', () => {
  const expectNoFault = ({ status, body }: { status: number; body: string }) => {
    expect(status, body).toBeLessThan(500);
    if (status >= 400) expect(JSON.parse(body)).toMatchObject({ error: expect.any(String) });
    else expect([200, 201]).toContain(status);
  };
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  const json = fc.jsonValue({ stringUnit: 'binary' });

  it('answers any body without a server error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.json({ stringUnit: 'binary' }), fc.string({ unit: 'binary' })),
        async (body) => expectNoFault(await send('POST', '/api/tasks', body)),
      ),
      { numRuns: sized(40, 300) },
    );
  });

  it('answers a task with any fields without a server error', async () => {
    const field = <T>(likely: fc.Arbitrary<T>) => fc.oneof({ weight: 30, arbitrary: likely }, json);
    const task = fc.record(
      {
        title: field(text.filter((title) => title.trim() !== '')),
        description: field(text),
        prompt: field(text),
        priority: field(fc.integer({ min: 1, max: 4 })),
        source: field(fc.constantFrom('api', 'cron', 'codehost')),
        sourceId: field(text),
        sourceUrl: field(fc.webUrl()),
        repository: field(fc.constantFrom('a/b', '../..', './.')),
        branch: field(text),
        labels: field(fc.array(text)),
        assignedAgent: field(text),
        maxAttempts: field(fc.integer({ min: 1, max: 20 })),
        metadata: field(fc.dictionary(text, json)),
        idempotencyKey: field(text),
      },
      { requiredKeys: ['title'] },
    );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(task, async (body) => {
        const answer = await send('POST', '/api/tasks', JSON.stringify(body));
        expectNoFault(answer);
        if (answer.status === 201) accepted++;
      }),
      { numRuns: sized(40, 300) },
    );
    // A fuzz that never gets past the schema would look at nothing else.
    expect(accepted).toBeGreaterThan(0);
  });

  it.each(['/api/tasks', '/api/tasks/filter'])(
    'answers any query of %s without a server error',
    async (path) => {
      const value = fc.oneof(
        text,
        fc.integer().map(String),
        fc.constantFrom(
          'pending,failed',
          'true',
          'createdAt',
          'asc',
          '2026-01-01',
          '"a" OR b*',
          'NEAR(a b)',
          "'",
          '-',
          '*',
        ),
      );
      const names =
        'status priority source agent labels createdAfter createdBefore completedAfter completedBefore repository q sortBy sortOrder limit offset cursor fields full'.split(
          ' ',
        );
      const pairs = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(pairs, async (query) =>
          expectNoFault(await send('GET', `${path}?${new URLSearchParams(query).toString()}`)),
        ),
        { numRuns: sized(40, 300) },
      );
    },
  );

  it('answers any search text without a server error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (q) => {
        const answer = await send('GET', `/api/tasks/filter?${new URLSearchParams({ q }).toString()}`);
        expect(answer.status, answer.body).toBe(200);
      }),
      { numRuns: sized(40, 300) },
    );
    const long = await send('GET', `/api/tasks/filter?q=${'a+'.repeat(500)}`);
    expect(long.status, long.body).toBe(200);
  });

  it('answers any bytes in a URL without a server error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
        const path = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        const answer = await send('GET', `/api/tasks/${path}?status=${path}`);
        expectNoFault(answer);
        expect(answer.status).toBeGreaterThanOrEqual(400);
      }),
      { numRuns: sized(40, 200) },
    );
  });
});
