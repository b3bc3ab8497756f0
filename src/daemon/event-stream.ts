import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { App } from '../core/app.ts';
import { watchAccess } from '../core/auth/access-watch.ts';
import type { Caller } from '../core/auth/caller.ts';
import type { ServerSentEvent } from '../contract/server-sent-events.ts';

const HEARTBEAT_MS = 15_000;

/** What a handler answers to stream events; undefined where nothing will come any more, which is a 204. */
export class EventStream {
  readonly events: AsyncIterable<ServerSentEvent> | undefined;
  constructor(events: AsyncIterable<ServerSentEvent> | undefined) {
    this.events = events;
  }
}

/** A signal that aborts when the caller goes away before the answer is complete. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** As `signalOf`, and aborts as well when the caller may not see any more what they began to read. */
export function signalOfReader(app: Pick<App, 'bus'>, caller: Caller, reply: FastifyReply): AbortSignal {
  const ended = new AbortController();
  const stopWatching = watchAccess(app.bus, caller, () => ended.abort());
  reply.raw.once('close', stopWatching);
  return AbortSignal.any([signalOf(reply), ended.signal]);
}

/** Writes events as they come (HTML standard, section 9.2), no faster than the reader reads. */
export async function sendEventStream(reply: FastifyReply, { events }: EventStream): Promise<void> {
  if (!events) {
    // A browser would connect again and again after a 200 that ends; 204 tells it to stop.
    await reply.code(204).send();
    return;
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  if (reply.request.method === 'HEAD') {
    raw.end();
    await events[Symbol.asyncIterator]().return?.();
    return;
  }
  // The head leaves now, and with it the first event where that is there already.
  const { socket } = raw;
  socket?.cork();
  raw.flushHeaders();
  process.nextTick(() => socket?.uncork());
  const heartbeat = setInterval(() => raw.write(': heartbeat\n\n'), HEARTBEAT_MS);
  const gone = signalOf(reply);
  try {
    for await (const { id, data } of events) {
      const text = `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
      if (!raw.write(text)) await once(raw, 'drain', { signal: gone });
    }
    raw.end();
  } catch (error) {
    // The head is sent: all that is left to tell the reader is that the stream broke off.
    raw.destroy();
    if (!gone.aborted) throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

/** Events that have no id. */
export async function* toEvents<T>(items: AsyncIterable<T>): AsyncGenerator<ServerSentEvent<T>> {
  for await (const data of items) yield { data };
}
