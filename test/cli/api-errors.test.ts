import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, SvcHome } from './svc-binary.ts';

/** The server answers with the status that the name of the agent says, so one server plays all of them. */
describe('the exit codes of API errors', () => {
  let home: SvcHome;
  let server: Server;
  let url: string;
  let status = 200;
  let answer: object;
  /** Whether an answer of status 503 says when to try again, as the daemon does where that can help. */
  let isLater = true;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    server = createServer((_, response) => {
      const later = status === 503 && isLater ? { 'retry-after': '1' } : {};
      response.writeHead(status, { 'content-type': 'application/json', ...later });
      response.end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  });
  afterAll(async () => {
    server.close();
    await home[Symbol.asyncDispose]();
  });

  it.each([
    [400, 6],
    [401, 4],
    [403, 4],
    [404, 5],
    [409, 6],
    [413, 6],
    [415, 6],
    [429, 75],
    [500, 1],
    [503, 75],
    [507, 75],
  ])('an answer of status %i exits with code %i and prints one line', async (answered, code) => {
    status = answered;
    answer = { error: 'Because', details: [{ path: 'title', message: 'Too long' }] };
    const outcome = await home.svc(['queue', 'status', '--url', url]);
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toMatch(/^svc: Because: title: Too long\.[^\n]*\n$/);
  });

  it('a 503 exits with 78 where something has to be configured, and with 75 behind a proxy that says nothing', async () => {
    status = 503;
    isLater = false;
    answer = { error: 'openai needs a key', details: [{ path: 'provider', message: 'openai needs a key' }] };
    expect((await home.svc(['queue', 'status', '--url', url])).code).toBe(78);
    answer = {};
    expect((await home.svc(['queue', 'status', '--url', url])).code).toBe(75);
    isLater = true;
  });

  it.each([
    [400, { error: 'Too long', details: [{ path: 'title', message: 'Too long' }] }, 'svc: Too long.\n'],
    [429, { error: 'Too many. Try again in 7 s.' }, 'svc: Too many. Try again in 7 s.\n'],
    [429, { error: 'Too many' }, 'svc: Too many. Try again in a moment.\n'],
  ])('prints the same text only once (%i)', async (answered, body, stderr) => {
    status = answered;
    answer = body;
    expect((await home.svc(['queue', 'status', '--url', url])).stderr).toBe(stderr);
  });

  it('names the request of an internal error, as text and as JSON', async () => {
    status = 500;
    answer = { error: 'Internal error', requestId: 'req_1' };
    expect((await home.svc(['queue', 'status', '--url', url])).stderr).toBe(
      'svc: Internal error (request req_1). See: svc daemon logs\n',
    );
    const { stderr } = await home.svc(['queue', 'status', '--url', url, '--json']);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'failed',
        message: 'Internal error.',
        hint: 'See: svc daemon logs',
        requestId: 'req_1',
        exitCode: 1,
      },
    });
  });

  it('shows the stack trace with --debug', async () => {
    status = 500;
    const { stderr } = await home.svc(['queue', 'status', '--url', url, '--debug']);
    expect(stderr).toMatch(/\n {4}at /);
  });
});
