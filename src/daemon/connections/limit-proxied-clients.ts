import type { FastifyInstance } from 'fastify';
import { AppError } from '../../core/errors.ts';
import { addressKey } from '../../core/limits/rate-limits.ts';
import { addressOf } from '../credentials.ts';
import { securityHeaders } from '../security-headers.ts';
import type { Connections } from './connections.ts';

const RETRY_AFTER_MS = 5000;

/**
 * A trusted proxy holds connections for all of its clients, so of those the requests in progress are counted, by the
 * address of the client.
 */
export function limitProxiedClients(server: FastifyInstance, connections: Connections): void {
  if (!connections.mayHaveProxies) return;
  const inProgress = new Map<string, number>();
  server.addHook('onRequest', (request, reply, done) => {
    if (!connections.of(request.raw.socket)?.isProxy) return done();
    const address = addressOf(request);
    const key = addressKey(address);
    const count = inProgress.get(key) ?? 0;
    if (count >= connections.limitOf(address)) {
      reply.headers(securityHeaders);
      return done(
        new AppError('rate_limited', 'Too many requests at once. Try again later.', {
          retryAfterMs: RETRY_AFTER_MS,
        }),
      );
    }
    inProgress.set(key, count + 1);
    reply.raw.once('close', () => {
      const rest = (inProgress.get(key) ?? 1) - 1;
      if (rest > 0) inProgress.set(key, rest);
      else inProgress.delete(key);
    });
    done();
  });
}
