import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../src/core/errors.ts';
import { buildServer } from '../../src/daemon/server.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let server: FastifyInstance;
let failure: unknown;

beforeAll(async () => {
  daemon = await startDaemon();
  server = await buildServer(daemon.app);
  server.get('/api/fails', { config: { access: 'public' } }, () => {
    throw failure;
  });
});
afterAll(async () => {
  await server.close();
  await daemon[Symbol.asyncDispose]();
});

async function failWith(error: unknown) {
  failure = error;
  // A server that does not listen has the port of the settings.
  const response = await server.inject({ url: '/api/fails', headers: { host: '127.0.0.1:0' } });
  return { status: response.statusCode, headers: response.headers, body: response.json<unknown>() };
}

describe('an error response', () => {
  const statuses: Record<ErrorCode, number> = {
    validation: 400,
    wrong_state: 400,
    unauthenticated: 401,
    forbidden: 403,
    not_found: 404,
    conflict: 409,
    rate_limited: 429,
    configuration: 500,
    unsupported: 501,
    unavailable: 503,
    storage_full: 507,
  };
  it.each(Object.entries(statuses) as [ErrorCode, number][])(
    'an error of code %s has status %i',
    async (code, status) => {
      const answer = await failWith(new AppError(code, 'In our own words'));
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({
        error: 'In our own words',
        ...(status >= 500 && { requestId: expect.stringMatching(/^req_/) }),
      });
      expect(answer.headers['content-type']).toContain('application/json');
      expect(answer.headers['retry-after'] !== undefined).toBe(status === 503 || status === 507);
    },
  );

  it('an error carries its details', async () => {
    const details = [{ path: 'a', message: 'b' }];
    expect((await failWith(new AppError('validation', 'No', { details }))).body).toEqual({
      error: 'No',
      details,
    });
  });

  it.each([
    new Error('/home/ann/secret.db is broken at line 17'),
    Object.assign(new Error('select * from users'), { statusCode: 502 }),
    new TypeError("Cannot read properties of undefined (reading 'password')"),
  ])('an unexpected error reveals no internals: %s', async (error) => {
    const answer = await failWith(error);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      error: 'Internal server error',
      requestId: expect.stringMatching(/^req_/),
    });
    expect(JSON.stringify(answer)).not.toMatch(/secret|select|password|\.ts/);
  });

  it('each failed request has a unique id', async () => {
    const ids = new Set<string>();
    for (let index = 0; index < 5; index++)
      ids.add(((await failWith(new Error('No'))).body as { requestId: string }).requestId);
    expect(ids.size).toBe(5);
  });
});
