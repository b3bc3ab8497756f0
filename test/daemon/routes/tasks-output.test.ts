import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carriedBy } from '../../../src/contract/task-run-events.ts';
import type { AgentRun } from '../../../src/core/agents/agent-adapter.ts';
import { RunEventRecord } from '../../../src/core/chat/runs/run-event-record.ts';
import { runCommand, startCommand, waitForOutput } from '../../core/agents/run-command.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { follow, testAdapter, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let say: (run: AgentRun) => Promise<{ output: string }>;
beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters: [testAdapter((run) => say(run))] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const get = (id: string, query = '', headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${daemon.url}/api/tasks/${id}/output${query}`, {
    method,
    headers: { ...daemon.headers, ...headers },
  });
const run = async (command: string) => (await runCommand(daemon, command)).task.id;
/** A task whose agent does what the test says. */
async function runAgent(agent: typeof say) {
  say = agent;
  const { task } = await daemon.client.tasks.create({
    body: { title: 'x', assignedAgent: 'test', maxAttempts: 1 },
  });
  return follow(daemon.client, task.id);
}

describe('a part of the output', () => {
  const ranges: [range: string, status: number, body: string, contentRange: string | null][] = [
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=9-99', 206, '9', 'bytes 9-9/10'],
    ['bytes=0-99999999999999999999', 206, '0123456789', 'bytes 0-9/10'],
    ['Bytes= 2-2 ', 206, '2', 'bytes 2-2/10'],
    // Anything that is not one range of bytes is as if it was not there.
    ['bytes=3-2', 200, '0123456789', null],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
    ['bytes=a-b', 200, '0123456789', null],
    ['lines=0-3', 200, '0123456789', null],
    ['', 200, '0123456789', null],
  ];

  it('is what Range names, with its place', async () => {
    const id = await run('printf 0123456789');
    for (const [range, status, body, contentRange] of ranges) {
      const answer = await get(id, '', { range });
      expect(answer.status, range).toBe(status);
      expect(await answer.text(), range).toBe(body);
      expect(answer.headers.get('content-range'), range).toBe(contentRange);
      expect(answer.headers.get('content-length'), range).toBe(`${body.length}`);
      expect(answer.headers.get('accept-ranges'), range).toBe('bytes');
      expect(answer.headers.get('output-size'), range).toBe('10');
    }
  });

  it('that does not exist is refused, with the size', async () => {
    const [id, empty] = [await run('printf 0123456789'), await run('true')];
    for (const [task, range, size] of [
      [id, 'bytes=10-', 10],
      [id, 'bytes=99999999999999999999-', 10],
      [id, 'bytes=-0', 10],
      [empty, 'bytes=0-', 0],
    ] as const) {
      const answer = await get(task, '', { range });
      expect(answer.status, range).toBe(416);
      expect(answer.headers.get('content-range')).toBe(`bytes */${size}`);
      expect(await answer.json()).toEqual({ error: `The output has ${size} bytes` });
    }
  });

  it('is what offset and limit name, and Range is a part of that', async () => {
    const id = await run('printf 0123456789');
    const bodyOf = async (query: string, range?: string) =>
      (await get(id, query, range === undefined ? {} : { range })).text();
    expect(await bodyOf('?offset=4')).toBe('456789');
    expect(await bodyOf('?offset=4&limit=2')).toBe('45');
    expect(await bodyOf('?limit=99')).toBe('0123456789');
    expect(await bodyOf('?offset=10&limit=1')).toBe('');
    expect(await bodyOf('?offset=999')).toBe('');
    expect(await bodyOf('?offset=2&limit=6', 'bytes=1-2')).toBe('34');
    expect(await bodyOf('?offset=2&limit=6', 'bytes=-2')).toBe('67');
    for (const query of [
      '?limit=0',
      '?limit=-1',
      '?offset=-1',
      '?limit=x',
      '?stream=text&follow=true',
      '?stream=all',
    ])
      expect((await get(id, query)).status, query).toBe(400);
  });

  it('may divide a character: parts are bytes, and together they are the output', async () => {
    const text = 'ä€😀'.repeat(3000);
    const id = await run(`printf '%s' '${text}'`);
    const parts: Buffer[] = [];
    for (let at = 0; at < Buffer.byteLength(text); at += 1000)
      parts.push(Buffer.from(await (await get(id, `?offset=${at}&limit=1000`)).arrayBuffer()));
    expect(parts[0]?.toString().endsWith('�')).toBe(true);
    expect(Buffer.concat(parts).toString()).toBe(text);
  });

  it('is continued only in the same output', async () => {
    const [one, other] = [await run('printf 0123456789'), await run('printf 9876543210')];
    const tag = (await get(one)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    const partOf = async (id: string, version: string) =>
      (await get(id, '', { range: 'bytes=5-', 'if-range': version })).text();
    expect(await partOf(one, tag)).toBe('56789');
    expect(await partOf(other, tag)).toBe('9876543210');
    expect(await partOf(one, '"made-up"')).toBe('0123456789');
    expect(await partOf(one, 'Wed, 21 Oct 2015 07:28:00 GMT')).toBe('0123456789');
  });

  it('has its head without its body', async () => {
    const id = await run('printf 0123456789');
    const answer = await get(id, '', { range: 'bytes=2-5' }, 'HEAD');
    expect(answer.status).toBe(206);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-length': '4',
      'content-range': 'bytes 2-5/10',
    });
    expect(await answer.text()).toBe('');
  });

  it('is text for clients that ask for text', async () => {
    const id = await run('echo "<b>ä"');
    const answer = await get(id, '', { accept: 'text/plain' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toBe('<b>ä\n');
  });

  it('is what is there while the command runs, without a version', async () => {
    const id = await startCommand(
      daemon,
      'printf first; until [ -e go ]; do sleep 0.02; done; printf second',
    );
    await waitForOutput(daemon, id, 'first');
    const answer = await get(id, '', { range: 'bytes=0-99' });
    expect([answer.status, answer.headers.get('etag')]).toEqual([206, null]);
    expect(await answer.text()).toBe('first');
    const limited = get(id, '?follow=true&offset=3&limit=4');
    writeFileSync(join(daemon.home, 'workspaces', id, 'go'), '');
    expect(await (await limited).text()).toBe('stse');
    await follow(daemon.client, id);
    expect((await get(id)).headers.get('etag')).not.toBeNull();
  });

  it('breaks off when its file is replaced after the head was sent', async () => {
    const id = await run('printf 0123456789');
    const source = await daemon.app.taskOutputs.source(id, 'stdout');
    const directory = join(daemon.home, 'outputs', id);
    rmSync(directory, { recursive: true });
    const readAll = async () => {
      for await (const piece of source.read(0, 10)) expect(piece).toBeUndefined();
    };
    await expect(readAll()).rejects.toThrow('replaced');
    mkdirSync(directory);
    writeFileSync(join(directory, 'stdout'), 'another one');
    await expect(readAll()).rejects.toThrow('replaced');
  });

  it('of 200 MB is read and searched in small pieces', async () => {
    const id = await run('printf x');
    const size = 200 * 1024 * 1024;
    truncateSync(join(daemon.home, 'outputs', id, 'stdout'), size);
    const source = await daemon.app.taskOutputs.source(id, 'stdout');
    const before = process.memoryUsage().arrayBuffers;
    let pieces = 0;
    for await (const piece of source.read(0, size)) {
      expect(piece.length).toBeLessThanOrEqual(64 * 1024);
      if (++pieces === 10) break;
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
    let bytes = 0;
    for await (const piece of daemon.client.tasks.getOutput({ params: { id } })) bytes += piece.length;
    expect(bytes).toBe(size);
    const end = await get(id, '', { range: 'bytes=-5' });
    expect(end.headers.get('content-range')).toBe(`bytes ${size - 5}-${size - 1}/${size}`);
    const search = await daemon.client.tasks.searchOutput({ params: { id }, query: { q: 'x' } });
    expect(search.hits.map(({ offset }) => offset)).toEqual([0]);
  });
});

describe('the search in output', () => {
  it('answers pages of hits with their lines', async () => {
    const id = await run('seq 1 200000; echo "Ende ä" >&2');
    const query = { q: '9999', limit: 3 };
    const first = await daemon.client.tasks.searchOutput({ params: { id }, query });
    expect(first).toMatchObject({ taskId: id, stream: 'stdout', count: 3, hasMore: true, size: 1_288_895 });
    expect(first.hits.map(({ line, text }) => [line, text])).toEqual([
      [9999, '9999'],
      [19_999, '19999'],
      [29_999, '29999'],
    ]);
    const [hit] = first.hits;
    expect(await (await get(id, `?offset=${hit?.offset}&limit=${hit?.bytes}`)).text()).toBe('9999');
    const next = await daemon.client.tasks.searchOutput({
      params: { id },
      query: { ...query, offset: first.nextOffset ?? 0, limit: 1000 },
    });
    expect(next.hits[0]).toMatchObject({ line: 39_999, text: '39999' });
    expect(next.hasMore).toBe(false);
    expect(next).not.toHaveProperty('nextOffset');
    const errors = { q: 'ÄNDE', stream: 'stderr' } as const;
    expect((await daemon.client.tasks.searchOutput({ params: { id }, query: errors })).hits).toEqual([]);
    const found = await daemon.client.tasks.searchOutput({
      params: { id },
      query: { ...errors, q: 'ende Ä' },
    });
    expect(found.hits).toEqual([{ offset: 0, bytes: 7, line: 1, text: 'Ende ä', at: 0 }]);
  });

  it('refuses what it cannot search for, and other users', async () => {
    const id = await run('echo mine');
    const other = await addUser(daemon, 'searcher');
    const search = (query: string, headers: Record<string, string> = daemon.headers) =>
      fetch(`${daemon.url}/api/tasks/${id}/output/search${query}`, { headers });
    for (const query of [
      '',
      '?q=',
      `?q=${'x'.repeat(201)}`,
      '?q=x&limit=1001',
      '?q=x&offset=-1',
      '?q=x&stream=x',
    ])
      expect((await search(query)).status, query).toBe(400);
    expect((await search('?q=x&offset=999999')).status).toBe(200);
    expect((await search('?q=mine', other.headers)).status).toBe(404);
    expect((await search('?q=mine', {})).status).toBe(401);
  });
});

describe('the text of an agent', () => {
  /** Says these texts, one step after the other, in pieces of a few characters. */
  const steps =
    (...texts: string[]) =>
    async (run: AgentRun) => {
      const record = new RunEventRecord((event) => run.emit(event));
      for (const [at, text] of texts.entries()) {
        record.add({
          type: 'step:start',
          data: { step: at + 1, maxSteps: 9, usedTokens: 0, maxBudget: null },
        });
        for (let from = 0; from < text.length; from += 7)
          record.add({ type: 'text:delta', data: { step: at + 1, delta: text.slice(from, from + 7) } });
        record.flush();
        // The events of one moment are limited.
        await nextTurn();
      }
      return { output: texts.at(-1) ?? '' };
    };
  const textOf = async (id: string, query = '', range?: string) =>
    (await get(id, `?stream=text${query}`, range === undefined ? {} : { range })).text();

  it('is what it said in all steps, from any byte on', async () => {
    const { task, events } = await runAgent(steps('I look at the files: ä€😀', 'Now I fix it.', 'Done.'));
    expect(events.some(({ type }) => type === carriedBy['text:delta'])).toBe(true);
    const all = 'I look at the files: ä€😀\n\nNow I fix it.\n\nDone.';
    expect(await textOf(task.id)).toBe(all);
    const bytes = Buffer.from(all);
    for (let at = 0; at < bytes.length; at++) {
      const answer = await get(task.id, `?stream=text&offset=${at}&limit=9`);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes.subarray(at, at + 9));
    }
    expect(await textOf(task.id, '', 'bytes=-5')).toBe('Done.');
    // What svc tasks output prints is the answer.
    expect(await (await get(task.id)).text()).toBe('Done.');
  });

  it('can be long, and be searched', async () => {
    const texts = Array.from({ length: 1200 }, (_, at) => `${'€'.repeat(100)}\nline of step ${at + 1}`);
    const { task } = await runAgent(steps(...texts));
    const all = Buffer.from(texts.join('\n\n'));
    const answer = await get(task.id, '?stream=text');
    expect(answer.headers.get('output-size')).toBe(`${all.length}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(all)).toBe(true);
    for (const at of [0, 65_535, 65_537, 200_000, all.length - 10])
      expect(
        Buffer.from(await (await get(task.id, `?stream=text&offset=${at}&limit=70000`)).arrayBuffer()).equals(
          all.subarray(at, at + 70_000),
        ),
        `${at}`,
      ).toBe(true);
    const { hits } = await daemon.client.tasks.searchOutput({
      params: { id: task.id },
      query: { stream: 'text', q: 'of step 777' },
    });
    expect(hits).toEqual([
      { offset: all.indexOf('of step 777'), bytes: 11, line: 776 * 3 + 2, text: 'line of step 777', at: 5 },
    ]);
  });

  it('is that of the latest attempt', async () => {
    let attempts = 0;
    const agent = async (run: AgentRun) => {
      await steps(`attempt ${++attempts}`)(run);
      if (attempts === 1) throw new Error('once more');
      return { output: '' };
    };
    say = agent;
    const { task } = await daemon.client.tasks.create({
      body: { title: 'x', assignedAgent: 'test', maxAttempts: 2 },
    });
    await follow(daemon.client, task.id);
    expect(attempts).toBe(2);
    expect(await textOf(task.id)).toBe('attempt 2');
  });

  it('is there while the agent works', async () => {
    const go = Promise.withResolvers<void>();
    say = async (run) => {
      await steps('so far')(run);
      await go.promise;
      return { output: 'done' };
    };
    const { task } = await daemon.client.tasks.create({ body: { title: 'x', assignedAgent: 'test' } });
    await until(async () => expect(await textOf(task.id)).toBe('so far'));
    expect((await get(task.id, '?stream=text')).headers.get('etag')).toBeNull();
    go.resolve();
    await follow(daemon.client, task.id);
    expect((await get(task.id, '?stream=text')).headers.get('etag')).not.toBeNull();
  });

  it('is the answer of an agent that says nothing before it', async () => {
    const { task } = await runAgent(async () => ({ output: 'the answer' }));
    expect(await textOf(task.id)).toBe('the answer');
    expect(await (await get(task.id, '?stream=stderr')).text()).toBe('');
  });
});
