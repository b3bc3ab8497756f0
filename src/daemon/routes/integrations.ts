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
      disconnectCodehost: ({ query }, { caller, request }) =>
        integrationStatus.disconnect(caller, 'codehost', { ...query, client: clientOf(request) }),
      disconnectTrackerA: ({ query }, { caller, request }) =>
        integrationStatus.disconnect(caller, 'tracker_a', { ...query, client: clientOf(request) }),
      disconnectTrackerB: ({ query }, { caller, request }) =>
        integrationStatus.disconnect(caller, 'tracker_b', { ...query, client: clientOf(request) }),
      getWebhooksStatus: () => integrationStatus.webhooks(),
      getWebSearch: () => webSearch.describe(),
      updateWebSearch: ({ body }, { caller, request }) =>
        webSearch.configure(body, { userId: caller.userId, address: addressOf(request) }),
    },
    check,
  );
}
