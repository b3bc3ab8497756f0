import type { FastifyInstance } from 'fastify';
import { type LiveMessage, type LiveTopic, watchSchema } from '../contract/live.ts';
import { livePath } from '../contract/live-path.ts';
import { safeParse } from '../contract/safe-parse.ts';
import type { App } from '../core/app.ts';
import { AppError } from '../core/errors.ts';
import { countStream } from './event-stream.ts';

/** A client with more unsent data is disconnected; it can reconnect and read the events of its tasks. */
const MAX_BEHIND_BYTES = 256 * 1024;
/** A client with more unsent data gets no output that it can read from the file. */
const BEHIND_BYTES = 64 * 1024;
const PING_EVERY_MS = 30_000;
/** RFC 6455, section 7.4.1. */
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;
/** Characters of a topic that is repeated in an error. */
const MAX_REPEATED = 100;

/** RFC 6455, section 4.4. */
class UnsupportedVersion extends Error {
  readonly statusCode = 426;
}

/** Registers the WebSocket of the live feed, behind the same guard as the routes. */
export function registerLive(server: FastifyInstance, app: Pick<App, 'live' | 'openStreams'>): void {
  /** A message for many clients becomes text once. */
  const texts = new WeakMap<LiveMessage, string>();
  const textOf = (message: LiveMessage): string => {
    const text = texts.get(message) ?? JSON.stringify(message);
    texts.set(message, text);
    return text;
  };
  server.route({
    method: 'GET',
    url: livePath,
    config: { access: 'session' },
    // Before the upgrade, so that one too many gets an answer that says so.
    preHandler: (request, _reply, done) => {
      if (request.ws) countStream(app, request.caller, request.raw.socket);
      done();
    },
    handler: (request, reply) => {
      const version = request.headers['sec-websocket-version'];
      if (version !== undefined && version !== '13') {
        reply.header('sec-websocket-version', '13');
        throw new UnsupportedVersion('The only version of WebSocket that is spoken here is 13');
      }
      throw new AppError('validation', 'Connect to this address with a WebSocket');
    },
    wsHandler: (socket, request) => {
      const subscription = app.live.subscribe(request.caller, {
        send: (message) => {
          if (socket.bufferedAmount > MAX_BEHIND_BYTES) socket.close(TRY_AGAIN_LATER, 'too slow');
          else socket.send(textOf(message));
        },
        end: () => socket.close(POLICY_VIOLATION, 'signed out'),
        isBehind: () => socket.bufferedAmount > BEHIND_BYTES,
      });
      let isAlive = true;
      const ping = setInterval(() => {
        if (!isAlive) socket.terminate();
        isAlive = false;
        socket.ping();
      }, PING_EVERY_MS);
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        const read = isBinary ? { problem: EXPECTED } : readWatch(data.toString('utf8'));
        if ('topics' in read) subscription.watch(read.topics);
        else subscription.refuse(read.problem);
      });
      socket.on('pong', () => (isAlive = true));
      socket.on('error', () => socket.terminate());
      socket.on('close', () => {
        clearInterval(ping);
        subscription.stop();
      });
    },
  });
}

const EXPECTED = 'Expected a message such as {"watch": ["tasks", "task:ID"]}';

/** The topics that a message asks for, or what is wrong with it. */
function readWatch(text: string): { topics: LiveTopic[] } | { problem: string } {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { problem: `Not JSON. ${EXPECTED}` };
  }
  const { data, error } = safeParse(watchSchema, message);
  if (data) return { topics: data.watch };
  const [issue] = error?.issues ?? [];
  if (issue?.code === 'too_big') return { problem: issue.message };
  const [, at] = issue?.path ?? [];
  if (typeof at !== 'number') return { problem: EXPECTED };
  const topic: unknown = (message as { watch: unknown[] }).watch[at];
  return { problem: `Unknown topic: ${(JSON.stringify(topic) ?? '').slice(0, MAX_REPEATED)}` };
}
