import type { FastifyInstance } from 'fastify';
import { inboundRoutes } from '../../contract/inbound.ts';
import type { Vendor } from '../../contract/vendors.ts';
import type { App } from '../../core/app.ts';
import { addressOf, clientOf } from '../credentials.ts';
import { type Context, implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerInbound(
  server: FastifyInstance,
  app: Pick<App, 'inbound'>,
  check?: ResponseCheck,
): void {
  const { inbound } = app;
  const { receiveGithub, receiveJira, receiveLinear, ...log } = inboundRoutes;
  const take =
    (vendor: Vendor) =>
    (_: unknown, { request }: Context) =>
      inbound.receive(vendor, {
        headers: request.headers,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        address: addressOf(request),
      });
  // A separate scope with its own parser: the signature covers the raw bytes.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ['application/json', 'application/x-www-form-urlencoded'],
      { parseAs: 'buffer' },
      (_request, body, done) => done(null, body),
    );
    implement(
      scope,
      { receiveGithub, receiveJira, receiveLinear },
      {
        receiveGithub: take('github'),
        receiveJira: take('jira'),
        receiveLinear: take('linear'),
      },
      check,
    );
  });
  implement(
    server,
    log,
    {
      list: ({ query }) => inbound.list(query),
      get: ({ params }) => inbound.get(params.id),
      replay: ({ params }, { caller, request }) => inbound.replay(caller, params.id, clientOf(request)),
    },
    check,
  );
}
