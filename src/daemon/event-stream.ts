import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { App } from '../core/app.ts';
import type { Caller } from '../core/auth/caller.ts';
import type { ServerSentEvent } from '../contract/server-sent-events.ts';

const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for this long is cut off; it can resume after the last event that it has. */
export const STALL_MS = 30_000;
/** The most that is written at once, so that a slow reader is seen to make progress with a long event. */
const PIECE = 64 * 1024;

/** An event, or one or more events as the text that is sent. */
export type StreamedEvent = ServerSentEvent | string;

/** The answer of a handler that streams events; undefined events become a 204, because no more will come. */
export class EventStream {
  readonly events: AsyncIterable<StreamedEvent> | undefined;
  constructor(events: AsyncIterable<StreamedEvent> | undefined) {
    this.events = events;
  }
}

/** A signal that aborts when the client disconnects before the response is complete. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Like `signalOf`, but also aborts when the caller loses access. */
export function signalOfReader(
  app: Pick<App, 'accessWatch'>,
  caller: Caller,
  reply: FastifyReply,
): AbortSignal {
  const accessLost = new AbortController();
  const stopWatching = app.accessWatch.watch(caller, () => accessLost.abort());
  reply.raw.once('close', stopWatching);
  return AbortSignal.any([signalOf(reply), accessLost.signal]);
}

/** Counts a stream of the caller until its connection closes; throws if the caller has too many. */
export function countStream(app: Pick<App, 'openStreams'>, caller: Caller, raw: Writable): void {
  const close = app.openStreams.open(caller.userId);
  if (raw.destroyed) close();
  else raw.once('close', close);
}

/**
 * Answers with a stream that counts towards the caller's limit. It is counted before `start` is called, because
 * a request that is refused must neither store a message nor call a model.
 */
export async function streamAnswer<T>(
  app: Pick<App, 'accessWatch' | 'openStreams'>,
  caller: Caller,
  reply: FastifyReply,
  start: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
): Promise<EventStream> {
  return streamText(app, caller, reply, async (signal) => toEvents(await start(signal)));
}

/** The same for events that are text already. */
export async function streamText(
  app: Pick<App, 'accessWatch' | 'openStreams'>,
  caller: Caller,
  reply: FastifyReply,
  start: (signal: AbortSignal) => Promise<AsyncIterable<StreamedEvent>>,
): Promise<EventStream> {
  countStream(app, caller, reply.raw);
  return new EventStream(await start(signalOfReader(app, caller, reply)));
}

/** Writes server-sent events (HTML standard, section 9.2) with back-pressure. */
export async function sendEventStream(
  reply: FastifyReply,
  { events }: EventStream,
  { stallMs = STALL_MS } = {},
): Promise<void> {
  if (!events) {
    // A browser reconnects after a 200 that ends; a 204 stops it.
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
  // Sends the head now, in one packet with the first event where there is one already.
  const { socket } = raw;
  socket?.cork();
  raw.flushHeaders();
  process.nextTick(() => socket?.uncork());
  let isWriting = false;
  const heartbeat = setInterval(() => {
    // Not between the pieces of an event that a slow reader waits for.
    if (!isWriting) raw.write(': heartbeat\n\n');
  }, HEARTBEAT_MS);
  const disconnected = signalOf(reply);
  try {
    for await (const event of events) {
      const text = typeof event === 'string' ? event : toText(event);
      isWriting = true;
      for (const piece of piecesOf(text)) if (!raw.write(piece)) await untilTaken(raw, disconnected, stallMs);
      isWriting = false;
    }
    raw.end();
  } catch (error) {
    // The head is sent, so an error can only be shown by breaking the connection.
    raw.destroy();
    if (!disconnected.aborted) throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

const toText = ({ id, data }: ServerSentEvent) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

function* piecesOf(text: string): Generator<string | Buffer> {
  if (text.length <= PIECE) return yield text;
  // Cut as bytes, because half of a surrogate pair cannot be encoded.
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Resolves once the reader has taken what was written; one that takes nothing for too long is cut off. */
export async function untilTaken(raw: Writable, disconnected: AbortSignal, stallMs: number): Promise<void> {
  const timer = setTimeout(() => raw.destroy(), stallMs);
  try {
    await once(raw, 'drain', { signal: disconnected });
  } finally {
    clearTimeout(timer);
  }
}

/** Wraps items as events without ids. */
async function* toEvents<T>(items: AsyncIterable<T>): AsyncGenerator<ServerSentEvent<T>> {
  for await (const data of items) yield { data };
}
