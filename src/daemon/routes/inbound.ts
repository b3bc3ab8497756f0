import type { FastifyInstance } from 'fastify';
import { inboundRoutes } from '../../contract/inbound.ts';
import type { ProviderName } from '../../contract/oauth.ts';
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
  const { receiveCodehost, receiveTrackerA, receiveTrackerB, ...log } = inboundRoutes;
  const take =
    (provider: ProviderName) =>
    (_: unknown, { request }: Context) =>
      inbound.receive(provider, {
        headers: request.headers,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        address: addressOf(request),
      });
  // A scope of its own: what is signed are the bytes, so nobody may read them before.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ['application/json', 'application/x-www-form-urlencoded'],
      { parseAs: 'buffer' },
      (_request, body, done) => done(null, body),
    );
    implement(
      scope,
      { receiveCodehost, receiveTrackerA, receiveTrackerB },
      {
        receiveCodehost: take('codehost'),
        receiveTrackerA: take('tracker_a'),
        receiveTrackerB: take('tracker_b'),
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
