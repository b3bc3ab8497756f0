import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeAudit } from '../contract/route-audit.ts';
import type { App } from '../core/app.ts';
import type { PendingEntry } from '../core/audit/pending-entry.ts';
import { addressOf } from './credentials.ts';
import { routeName } from './route-name.ts';

declare module 'fastify' {
  interface FastifyRequest {
    auditEntry: PendingEntry | undefined;
  }
}

/**
 * Records the event of a route. The caller carries the entry to the transaction of the change, so that neither is stored
 * without the other; an entry that no transaction has taken along is stored before the success is answered.
 */
export function auditRoutes(server: FastifyInstance, { auditRecorder }: Pick<App, 'auditRecorder'>): void {
  server.decorateRequest('auditEntry');
  server.addHook('onRoute', (route) => {
    const audit = routeAudit[routeName(route)];
    if (!audit || !('event' in audit)) return;
    const { event } = audit;
    route.preHandler = [
      ...[route.preHandler ?? []].flat(),
      (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
        // It gives nothing out.
        if (request.method === 'HEAD') return done();
        request.auditEntry = auditRecorder.prepare({
          kind: 'security',
          tool: event,
          userId: request.caller.userId,
          address: addressOf(request),
          arguments: argumentsOf(request),
          result: 'ok',
        });
        request.caller = { ...request.caller, auditEntry: request.auditEntry };
        done();
      },
    ];
    route.onSend = [
      ...[route.onSend ?? []].flat(),
      async (request, reply, payload) => {
        const { auditEntry } = request;
        if (reply.statusCode < 400 && auditEntry) await auditRecorder.record(auditEntry, createdBy(payload));
        return payload;
      },
    ];
  });
}

/** What was changed, by id, and which fields: their values may be secrets. */
function argumentsOf({ params, body }: FastifyRequest): Record<string, unknown> {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return { ...(params as object), ...(isObject && { fields: Object.keys(body) }) };
}

/** The id of the resource in the answer, such as a new schedule. */
function createdBy(payload: unknown): { id?: string } {
  if (typeof payload !== 'string' || !payload.startsWith('{')) return {};
  const parts = Object.values(JSON.parse(payload) as Record<string, { id?: unknown } | null>);
  const id = parts.map((part) => part?.id).find((each) => typeof each === 'string');
  return id === undefined ? {} : { id };
}
