import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../core/app.ts';
import type { Span } from '../core/telemetry/telemetry.ts';
import { parseTraceContext, type TraceContext } from '../core/telemetry/trace-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, once it has passed the guard. */
    span?: Span;
  }
}

/** Probes and scrapes come every few seconds, and would be most of all traces. */
const untraced = /^\/(?:metrics|api\/health)(?:\/|$)/;

/** Vendors sign their deliveries, which have no caller. */
const inbound = /^\/api\/webhooks\//;

/** Gives each request a span and measures it, where telemetry is exported. */
export function traceRequests(
  server: FastifyInstance,
  { telemetry, exporter }: Pick<App, 'telemetry' | 'exporter'>,
): void {
  if (!telemetry || !exporter) return;
  const begin = (request: FastifyRequest, reply: FastifyReply, parent?: TraceContext): Span => {
    const route = routeOf(request);
    return telemetry.startSpan(route === undefined ? request.method : `${request.method} ${route}`, {
      kind: 'server',
      parent: parent ?? 'none',
      startedAt: Date.now() - reply.elapsedTime,
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'url.scheme': request.protocol,
      },
    });
  };
  // After the guard: requests without a known caller join no trace and do not decide what is sampled.
  server.addHook('preValidation', (request, reply, done) => {
    if (untraced.test(request.url)) return done();
    const { traceparent, tracestate } = request.headers;
    const mayJoin = request.caller !== undefined || inbound.test(request.url);
    const parent = mayJoin ? parseTraceContext(one(traceparent), [tracestate].flat().join()) : undefined;
    request.span = begin(request, reply, parent);
    telemetry.within(request.span, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply;
    const route = routeOf(request) ?? 'unknown';
    exporter.httpMetrics.record({ method: request.method, route, status, seconds: elapsedTime / 1000 });
    if (!untraced.test(request.url)) {
      const span = request.span ?? begin(request, reply);
      span.set({ 'http.response.status_code': status });
      span.end(status >= 500 ? String(status) : undefined);
    }
    done();
  });
}

/** The path as the contract has it; paths themselves hold ids, some of which are secrets. */
function routeOf({ guarded, routeOptions }: FastifyRequest): string | undefined {
  const url = guarded?.url ?? routeOptions.url;
  return url === 'unknown' ? undefined : url;
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? undefined : header);
