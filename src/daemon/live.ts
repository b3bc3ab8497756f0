import type { FastifyInstance } from 'fastify';
import { livePath } from '../contract/live.ts';
import type { App } from '../core/app.ts';
import { AppError } from '../core/errors.ts';

/** A reader that is this far behind is cut off: it can connect again and read the events of its tasks. */
const MAX_BEHIND_BYTES = 1024 * 1024;
const PING_EVERY_MS = 30_000;
/** RFC 6455, section 7.4.1. */
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

/** The WebSocket of the live feed; the same gate as for the routes stands before it. */
export function registerLive(server: FastifyInstance, app: Pick<App, 'live'>): void {
  server.route({
    method: 'GET',
    url: livePath,
    config: { access: 'session' },
    handler: () => {
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
