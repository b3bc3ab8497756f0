import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/client.ts';
import { createClient } from '../../../src/contract/package/create-client.ts';
import { ConnectionError } from '../../../src/contract/package/fetch-transport.ts';
import { followTask, isTransient } from '../../../src/contract/package/run-task.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const token = 'svc_secret_token_of_this_test';
let answer: Answer;
let url: string;
const asked: IncomingMessage[] = [];
const server = createServer((request, response) => {
  asked.push(request);
  answer(response, request);
});
/** Another address, which is to see no request. */
const elsewhere = createServer((request, response) => {
  foreign.push(request);
  response.end('{}');
});
const foreign: IncomingMessage[] = [];
let elsewhereUrl: string;

const addressOf = async (each: typeof server) => {
  each.listen(0, '127.0.0.1');
  await once(each, 'listening');
  return `http://127.0.0.1:${(each.address() as AddressInfo).port}`;
};
beforeAll(async () => {
  [url, elsewhereUrl] = await Promise.all([addressOf(server), addressOf(elsewhere)]);
});
beforeEach(() => void asked.splice(0));
afterAll(() => {
  for (const each of [server, elsewhere]) {
    each.closeAllConnections();
    each.close();
  }
});

const id = 'task_1';
const client = () => createClient({ baseUrl: url, token });
const events = async (options = {}) => {
  const found: unknown[] = [];
  for await (const { data } of client().tasks.listEventsStream({ params: { id } }, options)) found.push(data);
  return found;
};
const failureOf = async (work: Promise<unknown>): Promise<Error> =>
  work.then(
    (value) => expect.fail(`no error but ${JSON.stringify(value)}`),
    (error: unknown) => error as Error,
  );
const streams = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

describe('a server that redirects', () => {
  it.each([301, 302, 303, 307, 308])(
    'gets nothing sent on to another address for status %i',
    async (status) => {
      answer = (response) => response.writeHead(status, { location: `${elsewhereUrl}/steal` }).end();
      for (const work of [
        () => client().tasks.list(),
        () => client().tasks.create({ body: { title: 'x' } }),
        events,
      ]) {
        const error = await failureOf(work());
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status, message: expect.stringContaining('redirects') });
        expect(isTransient(error)).toBe(false);
      }
      expect(foreign).toEqual([]);
      expect(asked[0]?.headers.authorization).toBe(`Bearer ${token}`);
    },
  );
});

describe('a server that answers garbage', () => {
  it.each<[string, Answer]>([
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['half of an object', (response) => response.writeHead(200).end('{"task":')],
    ['bytes that are no text', (response) => response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0, 0x80]))],
    ['an unknown status', (response) => response.writeHead(599).end('?')],
    ['an error without a body', (response) => response.writeHead(500).end()],
  ])('makes an ApiError of %s', async (_, given) => {
    answer = given;
    expect(await failureOf(client().tasks.get({ params: { id } }))).toBeInstanceOf(ApiError);
  });

  it.each<[string, Answer]>([
    ['a connection that is closed', (response) => response.destroy()],
    [
      'an answer that breaks off',
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"task":', () => response.destroy());
      },
    ],
    [
      'an encoding that it is not',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
    ],
  ])('makes a ConnectionError of %s', async (_, given) => {
    answer = given;
    const error = await failureOf(client().tasks.get({ params: { id } }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(`No answer from ${url}`);
    expect(isTransient(error)).toBe(true);
  });

  it('makes a ConnectionError of an address at which nothing listens', async () => {
    const error = await failureOf(createClient({ baseUrl: 'http://127.0.0.1:9', fetch }).tasks.list());
    expect(error).toBeInstanceOf(ConnectionError);
  });

  it('never throws anything but an ApiError or a ConnectionError, and never the token', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 200, max: 599 }),
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        fc.constantFrom('application/json', 'text/event-stream', 'text/html', 'image/png', ''),
        async (status, body, type) => {
          answer = (response) =>
            response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
          for (const work of [() => client().tasks.list(), events]) {
            const error: unknown = await work().then(
              () => undefined,
              (reason: unknown) => reason,
            );
            if (error === undefined) continue;
            const isKnown = error instanceof ApiError || error instanceof ConnectionError;
            expect(isKnown).toBe(true);
            if (isKnown) expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(token);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a stream of a server that is no daemon', () => {
  it('is refused where it is a page, and its connection is closed', async () => {
    let closed: Promise<unknown> | undefined;
    answer = (response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/html' }).write('<html>');
    };
    expect(await failureOf(events())).toMatchObject({
      status: 200,
      message: expect.stringContaining('text/html'),
    });
    await closed;
  });

  it.each(['data: {"seq":', 'data: nothing', 'data: {}}'])('is refused with the event %j', async (event) => {
    answer = (response) => streams(response).end(`${event}\n\n`);
    expect(await failureOf(events())).toMatchObject({
      name: 'ApiError',
      message: expect.stringContaining('not valid'),
    });
  });

  it('yields whole events only where it breaks off', async () => {
    answer = (response) => streams(response).end('data: {"seq":1}\n\ndata: {"seq":2}');
    expect(await events()).toEqual([{ seq: 1 }]);
    answer = (response) => streams(response).write('data: {"seq":1}\n\ndata: {', () => response.destroy());
    expect(await failureOf(events())).toBeInstanceOf(ConnectionError);
  });

  it('takes an event of 8 MiB, and refuses one that has no end', async () => {
    const text = 'x'.repeat(8 * 2 ** 20);
    answer = (response) => streams(response).end(`data: ${JSON.stringify({ text })}\n\n`);
    expect(await events()).toEqual([{ text }]);
    answer = (response) => {
      const more = () => {
        if (!response.destroyed) response.write('data: xxxxxxxxxxxxxxxx'.repeat(2 ** 16), more);
      };
      streams(response);
      more();
    };
    expect(await failureOf(events())).toMatchObject({ message: expect.stringContaining('too large') });
  });

  it('ends at [DONE], as streams of OpenAI do', async () => {
    answer = (response) => streams(response).end('data: {"seq":1}\n\ndata: [DONE]\n\ndata: {"seq":2}\n\n');
    expect(await events()).toEqual([{ seq: 1 }]);
  });

  it('fails once it was silent for as long as the caller says', async () => {
    answer = (response) => streams(response).write('data: {"seq":1}\n\n');
    const error = await failureOf(events({ silenceMs: 30 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe('No data from the server for 0.03 s');
  });

  it('rejects with the reason of its signal, and closes the connection', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    let closed: Promise<unknown> | undefined;
    answer = (response) => {
      closed = once(response, 'close');
      streams(response).write('data: {"seq":1}\n\n');
    };
    for await (const { data } of client().tasks.listEventsStream({ params: { id } })) {
      expect(data).toEqual({ seq: 1 });
      break;
    }
    await closed;
    const aborted = failureOf(events({ signal: stop.signal, onOpen: () => stop.abort(reason) }));
    expect(await aborted).toBe(reason);
    await closed;
  });

  it('is not followed for ever where it lies about a task', async () => {
    answer = (response, { headers }) =>
      headers.accept === 'text/event-stream'
        ? streams(response).end('data: 17\n\n')
        : response.end('{"task":{"status":"completed"}}');
    expect(await followTask(client(), id)).toEqual({ status: 'completed' });
    answer = (response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Task not found"}');
    expect(await failureOf(followTask(client(), id))).toMatchObject({ status: 404 });
  });
});

describe('options that no request can have', () => {
  it.each(['', 'nowhere', 'ftp://a', 'http://me:secret@127.0.0.1', 'javascript:1'])(
    'refuses the base URL %j without repeating it',
    (baseUrl) => {
      expect(() => createClient({ baseUrl })).toThrow(
        new TypeError('baseUrl must be an http or https address without a user name and password'),
      );
    },
  );

  it.each(['', 'a b', 'a\nb', 'ü', 'a;b'])('refuses the token %j without repeating it', (bad) => {
    expect(() => createClient({ baseUrl: url, token: bad })).toThrow(/^token is empty or has characters/);
  });

  it('takes a token as a file ends it, with a line break', async () => {
    answer = (response) => response.end('{"tasks":[]}');
    await createClient({ baseUrl: `${url}/`, token: `${token}\n` }).tasks.list();
    expect(asked[0]).toMatchObject({ url: '/api/tasks', headers: { authorization: `Bearer ${token}` } });
  });
});
