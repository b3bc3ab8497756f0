import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../../src/contract/server-sent-events.ts';
import type { TaskEvent } from '../../../src/contract/task.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { follow, heldAdapter, testAdapter } from '../../helpers/tasks.ts';

const speaking = (lines: number) =>
  testAdapter(async (run) => {
    for (let line = 1; line <= lines; line++) run.emit({ type: 'output', message: `line ${line}` });
    return { output: 'done' };
  });
const start = async ({ client }: TestDaemon) =>
  (await client.tasks.create({ body: { title: 'Speak', assignedAgent: 'test' } })).task.id;

const open = (daemon: TestDaemon, id: string, headers: Record<string, string> = {}, query = '') =>
  fetch(`${daemon.url}/api/tasks/${id}/events${query}`, {
    headers: { ...daemon.headers, accept: 'text/event-stream', ...headers },
  });
async function read(response: Response, count = Number.POSITIVE_INFINITY) {
  const events: { id?: string; data: TaskEvent }[] = [];
  if (response.body)
    for await (const event of readServerSentEvents<TaskEvent>(response.body)) {
      events.push(event);
      if (events.length >= count) break;
    }
  return events;
}
const seqs = (events: { data: TaskEvent }[]) => events.map(({ data }) => data.seq);
const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('GET /api/tasks/:id/events', () => {
  it('pages task events by after and limit', async () => {
    await using daemon = await startDaemon({ extraAdapters: [speaking(20)] });
    const { client } = daemon;
    const id = await start(daemon);
    const { events: all } = await follow(client, id);
    expect(all).toHaveLength(24);
    expect(all.map(({ seq }) => seq)).toEqual(upTo(24));
    const page = (query: Record<string, number>) => client.tasks.listEvents({ params: { id }, query });
    expect(await page({})).toEqual({ taskId: id, events: all, count: 24, hasMore: false });
    expect(await page({ limit: 10 })).toEqual({
      taskId: id,
      events: all.slice(0, 10),
      count: 10,
      hasMore: true,
    });
    expect(await page({ after: 10, limit: 14 })).toMatchObject({ events: all.slice(10), hasMore: false });
    expect(await page({ after: 24 })).toMatchObject({ events: [], count: 0, hasMore: false });
    expect(await page({ after: 999 })).toMatchObject({ events: [], count: 0, hasMore: false });
    for (const query of [{ limit: 0 }, { limit: 5001 }, { after: -1 }])
      await expect(page(query)).rejects.toMatchObject({ status: 400 });
  });

  it('each task event has a message, a time and a unique id', async () => {
    await using daemon = await startDaemon({ extraAdapters: [speaking(3)] });
    const { events } = await follow(daemon.client, await start(daemon));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const event of events) {
      expect(event.message).toMatch(/\w/);
      expect(event.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted());
  });
});

describe('the event stream of a task', () => {
  it('the event stream numbers its events, closes when the task finishes, and is 204 from then on', async () => {
    await using daemon = await startDaemon({ extraAdapters: [speaking(5)] });
    const id = await start(daemon);
    const response = await open(daemon, id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await read(response);
    expect(events.at(-1)?.data.type).toBe('completed');
    expect(seqs(events)).toEqual(upTo(9));
    expect(events.map((event) => event.id)).toEqual(upTo(9).map(String));
    expect((await open(daemon, id, { 'last-event-id': '9' })).status).toBe(204);
    expect((await open(daemon, id, {}, '?after=9')).status).toBe(204);
    expect((await open(daemon, id, { 'last-event-id': '10000' })).status).toBe(204);
    const last = await open(daemon, id, { 'last-event-id': '8' });
    expect(seqs(await read(last))).toEqual([9]);
  });

  it('the event stream continues after the later of after and Last-Event-ID', async () => {
    await using daemon = await startDaemon({ extraAdapters: [speaking(5)] });
    const id = await start(daemon);
    await follow(daemon.client, id);
    expect(seqs(await read(await open(daemon, id, { 'last-event-id': '3' })))).toEqual(upTo(9, 4));
    expect(seqs(await read(await open(daemon, id, { 'last-event-id': '3' }, '?after=5')))).toEqual(
      upTo(9, 6),
    );
    expect(seqs(await read(await open(daemon, id, { 'last-event-id': '7' }, '?after=5')))).toEqual(
      upTo(9, 8),
    );
    expect(seqs(await read(await open(daemon, id, { 'last-event-id': '' })))).toEqual(upTo(9));
  });

  it('the event stream loses and repeats nothing however often the client reconnects', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const id = await start(daemon);
    const { run, succeed } = await held.started(0);
    const seen: number[] = [];
    for (let round = 1; round <= 20; round++) {
      for (let line = 0; line < round; line++) run.emit({ type: 'output', message: `${round}.${line}` });
      const response = await open(
        daemon,
        id,
        seen.length > 0 ? { 'last-event-id': String(seen.at(-1)) } : {},
      );
      seen.push(...seqs(await read(response, round)));
    }
    succeed();
    const rest = await open(daemon, id, { 'last-event-id': String(seen.at(-1)) });
    seen.push(...seqs(await read(rest)));
    expect(seen).toEqual(upTo(210 + 4));
  });

  it('the event stream serves many clients at once', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const id = await start(daemon);
    const { run, succeed } = await held.started(0);
    const reading = Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        seqs(await read(await open(daemon, id, {}, `?after=${index % 4}`))),
      ),
    );
    for (let line = 0; line < 300; line++) run.emit({ type: 'output', message: 'x'.repeat(100) });
    succeed();
    for (const [index, seen] of (await reading).entries()) expect(seen).toEqual(upTo(304, (index % 4) + 1));
  });

  it('the event stream does not wait with follow=false', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const id = await start(daemon);
    await held.started(0);
    expect(seqs(await read(await open(daemon, id, {}, '?follow=false')))).toEqual([1, 2, 3]);
    expect((await daemon.client.tasks.get({ params: { id } })).task.status).toBe('in_progress');
  });

  it('follow selects the event stream, and otherwise Accept does', async () => {
    await using daemon = await startDaemon({ extraAdapters: [speaking(1)] });
    const id = await start(daemon);
    await follow(daemon.client, id);
    const typeOf = async (accept: string, query: string) =>
      (await open(daemon, id, { accept }, query)).headers.get('content-type');
    expect(await typeOf('*/*', '')).toContain('application/json');
    expect(await typeOf('*/*', '?follow=true')).toContain('text/event-stream');
    expect(await typeOf('application/json', '?follow=true')).toContain('application/json');
    expect(await typeOf('text/event-stream', '')).toContain('text/event-stream');
  });

  it('the event stream buffers nothing for a slow client, and is complete for it in the end', async () => {
    const text = 'x'.repeat(20_000);
    const loud = testAdapter(async (run) => {
      for (let line = 0; line < 1000; line++) {
        run.emit({ type: 'output', message: text });
        if (line % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
      }
      return { output: 'done' };
    });
    await using daemon = await startDaemon({ extraAdapters: [loud] });
    const id = await start(daemon);
    const slow = request(`${daemon.url}/api/tasks/${id}/events`, {
      headers: { ...daemon.headers, accept: 'text/event-stream' },
    }).end();
    const [response] = (await once(slow, 'response')) as [AsyncIterable<Uint8Array> & { pause(): void }];
    // Nothing is read of 20 MB while the task runs to its end and others are served.
    const { task, events } = await follow(daemon.client, id);
    expect(task.status).toBe('completed');
    const seen: number[] = [];
    for await (const { data } of readServerSentEvents<TaskEvent>(response)) seen.push(data.seq);
    expect(seen).toEqual(events.map(({ seq }) => seq));
  });

  it('the event stream stops when its client disconnects', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const id = await start(daemon);
    const { run, succeed } = await held.started(0);
    const response = await open(daemon, id);
    await read(response, 3);
    for (let line = 0; line < 10; line++) run.emit({ type: 'output', message: 'to nobody' });
    succeed();
    expect((await follow(daemon.client, id)).task.status).toBe('completed');
  });
});
