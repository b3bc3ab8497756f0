import type { FastifyInstance } from 'fastify';
import { livePath } from '../contract/live.ts';
import type { App } from '../core/app.ts';
import { AppError } from '../core/errors.ts';
import { countStream } from './event-stream.ts';

/** A client with more unsent data is disconnected; it can reconnect and read the events of its tasks. */
const MAX_BEHIND_BYTES = 256 * 1024;
const PING_EVERY_MS = 30_000;
/** RFC 6455, section 7.4.1. */
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

/** RFC 6455, section 4.4. */
class UnsupportedVersion extends Error {
  readonly statusCode = 426;
}

/** Registers the WebSocket of the live feed, behind the same guard as the routes. */
export function registerLive(server: FastifyInstance, app: Pick<App, 'live' | 'openStreams'>): void {
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
      const unsubscribe = app.live.subscribe(request.caller, {
        send: (message) => {
          if (socket.bufferedAmount > MAX_BEHIND_BYTES) socket.close(TRY_AGAIN_LATER, 'too slow');
          else socket.send(JSON.stringify(message));
        },
        end: () => socket.close(POLICY_VIOLATION, 'signed out'),
      });
      let isAlive = true;
      const ping = setInterval(() => {
        if (!isAlive) socket.terminate();
        isAlive = false;
        socket.ping();
      }, PING_EVERY_MS);
      socket.on('pong', () => (isAlive = true));
      socket.on('error', () => socket.terminate());
      socket.on('close', () => {
        clearInterval(ping);
        unsubscribe();
      });
    },
  });
}
