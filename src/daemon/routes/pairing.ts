import type { FastifyInstance } from 'fastify';
import { pairingRoutes } from '../../contract/pairing.ts';
import type { App } from '../../core/app.ts';
import { baseUrlOf } from '../base-url.ts';
import { clientOf, startSession } from '../credentials.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerPairing(
  server: FastifyInstance,
  app: Pick<App, 'pairing' | 'pairingDecisions' | 'sessions' | 'config'>,
  check?: ResponseCheck,
): void {
  const { pairing, pairingDecisions: decisions } = app;
  implement(
    server,
    pairingRoutes,
    {
      create: ({ body }, { request }) => pairing.request(body, clientOf(request)),
      createQr: ({ query }, { caller, request }) =>
        pairing.qr(caller, baseUrlOf(app, request), clientOf(request), query.link),
      claim: ({ body }, { request }) => pairing.claim(body, clientOf(request)),
      getByCode: async ({ body }, { caller, request }) => ({
        request: await decisions.inspect(caller, body.code, clientOf(request)),
      }),
      approve: async ({ body }, { caller, request }) => ({
        message: 'Device paired',
        request: await decisions.approve(caller, body, clientOf(request)),
      }),
      reject: async ({ body }, { caller, request }) => ({
        message: 'Pairing request rejected',
        request: await decisions.reject(caller, body, clientOf(request)),
      }),
      getStatus: ({ params }, { request }) => pairing.status(params.requestId, clientOf(request)),
      signIn: async ({ body }, { request, reply }) => {
        const { status, token, expiresAt, reason } = await pairing.status(body.requestId, clientOf(request));
        const signedIn = token !== undefined;
        if (signedIn) await startSession(app, request, reply, { token, expiresAt: undefined });
        return { status, signedIn, expiresAt, ...(reason !== undefined && { reason }) };
      },
      listPending: async () => ({ requests: await pairing.pending() }),
      deleteExpired: async (_, { caller }) => ({ removed: await pairing.cleanup(caller) }),
    },
    check,
  );
}
