import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route, RouteAlso, RouteOutput, RouteRequest, Routes } from '../contract/route.ts';
import type { Caller } from '../core/auth/caller.ts';
import { sendBytes } from './byte-stream.ts';
import { EventStream, sendEventStream } from './event-stream.ts';
import { bodyLimitOf } from './request-body.ts';
import type { ResponseCheck } from './response-check.ts';

export interface Context {
  /** The caller; not set for routes with access `public`. */
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}
/** A plain text response, such as Prometheus metrics. */
export class TextAnswer {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** A file, sent as it becomes available. */
export class BytesAnswer {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly length: number | undefined;
  constructor(pieces: AsyncIterable<Uint8Array>, length?: number) {
    this.pieces = pieces;
    this.length = length;
  }
}
/** Redirects the browser to another URL. */
export class Redirect {
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }
}
type Redirected<R extends Route> = R['redirect'] extends true ? Redirect : never;
type Streamed<R extends Route> = R['events'] extends object ? EventStream : never;
type Binary<R extends Route> = R['file'] extends string ? BytesAnswer : never;
type Texted<R extends Route> = R['text'] extends true ? TextAnswer : never;
export type Answer<R extends Route> =
  | RouteOutput<R>
  | RouteAlso<R>
  | Readable
  | Streamed<R>
  | Texted<R>
  | Binary<R>
  | Redirected<R>;
export type Handler<R extends Route> = (
  input: RouteRequest<R>,
  context: Context,
) => Promise<Answer<R>> | Answer<R>;
export type Handlers<Rs extends Routes> = { [Name in keyof Rs]: Handler<Rs[Name]> };

const TEXT = 'text/plain; charset=utf-8';

/** Registers one handler for each route of a resource; a missing or extra handler does not compile. */
export function implement<Rs extends Routes>(
  server: FastifyInstance,
  routes: Rs,
  handlers: Handlers<Rs>,
  check?: ResponseCheck,
): void {
  for (const name of Object.keys(routes) as (keyof Rs & string)[]) {
    const route: Route = routes[name] as Route;
    const handler = handlers[name] as unknown as Handler<Route>;
    const { params, query, headers, body } = route;
    const bodyLimit = bodyLimitOf(route);
    server.route({
      // A route of its own for HEAD, which Fastify would make, costs a start as much as the one for GET.
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      exposeHeadRoute: false,
      url: route.path,
      bodyLimit,
      config: {
        access: route.access,
        scopes: route.scopes,
        limit: route.limit,
        tokenLimit: route.tokenLimit,
        crossSite: route.crossSite,
        body: { bodyLimit, nulIn: route.nulIn, itemsLaterIn: route.itemsLaterIn },
      },
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(headers && { headers }),
        ...(body && { body }),
      },
      ...(check && {
        onSend: (_request, reply, payload, done) => {
          try {
            if (reply.statusCode >= 400) check(route, reply.statusCode, JSON.parse(String(payload)));
            done(null, payload);
          } catch (error) {
            done(error as Error);
          }
        },
      }),
      handler: async (request, reply) => {
        reply.code(route.status ?? 200);
        const input = {
          params: request.params,
          query: request.query,
          headers: request.headers,
          body: request.body,
        } as RouteRequest<Route>;
        const answer: unknown = await handler(input, { caller: request.caller, request, reply });
        if (answer instanceof EventStream) return sendEventStream(reply, answer);
        if (answer instanceof BytesAnswer) {
          const wantsText = route.text && request.headers.accept?.includes('text/plain');
          const type = wantsText ? TEXT : (route.file ?? 'application/octet-stream');
          return sendBytes(reply, { type, pieces: answer.pieces, length: answer.length });
        }
        if (answer instanceof Redirect) return reply.redirect(answer.url, 302);
        if (answer instanceof TextAnswer) return reply.type('text/plain; version=0.0.4').send(answer.text);
        if (answer instanceof Readable) {
          reply.type(route.file ?? 'application/json; charset=utf-8');
          return request.method === 'HEAD' ? sendHead(reply, answer) : reply.send(answer);
        }
        check?.(route, reply.statusCode, answer);
        return reply.send(answer);
      },
    });
  }
}

/** Answers HEAD without reading the body, which Fastify would do. */
function sendHead(reply: FastifyReply, body: Readable): void {
  body.destroy();
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>).end();
}
