import type { FastifyInstance } from 'fastify';
import { integrationsRoutes } from '../../contract/integrations.ts';
import type { App } from '../../core/app.ts';
import { addressOf, clientOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerIntegrations(
  server: FastifyInstance,
  { webSearch, integrationStatus }: Pick<App, 'webSearch' | 'integrationStatus'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    integrationsRoutes,
    {
      getCodehost: (_, { caller }) => integrationStatus.codehost(caller.userId),
      getTrackerA: (_, { caller }) => integrationStatus.trackerA(caller.userId),
      getTrackerB: (_, { caller }) => integrationStatus.trackerB(caller.userId),
      disconnectCodehost: (_, { caller, request }) =>
        integrationStatus.disconnect(caller.userId, 'codehost', clientOf(request)),
      disconnectTrackerA: (_, { caller, request }) =>
        integrationStatus.disconnect(caller.userId, 'tracker_a', clientOf(request)),
      disconnectTrackerB: (_, { caller, request }) =>
        integrationStatus.disconnect(caller.userId, 'tracker_b', clientOf(request)),
      getWebhooksStatus: () => integrationStatus.webhooks(),
      getWebSearch: () => webSearch.describe(),
      updateWebSearch: ({ body }, { caller, request }) =>
        webSearch.configure(body, { userId: caller.userId, address: addressOf(request) }),
    },
    check,
  );
}
