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
      getGithub: (_, { caller }) => integrationStatus.github(caller.userId),
      getJira: (_, { caller }) => integrationStatus.jira(caller.userId),
      getLinear: (_, { caller }) => integrationStatus.linear(caller.userId),
      disconnectGithub: ({ query }, { caller, request }) =>
        integrationStatus.disconnect(caller, 'github', { ...query, client: clientOf(request) }),
      disconnectJira: ({ query }, { caller, request }) =>
        integrationStatus.disconnect(caller, 'jira', { ...query, client: clientOf(request) }),
      disconnectLinear: ({ query }, { caller, request }) =>
        integrationStatus.disconnect(caller, 'linear', { ...query, client: clientOf(request) }),
      getWebhooksStatus: () => integrationStatus.webhooks(),
      getWebSearch: () => webSearch.describe(),
      updateWebSearch: ({ body }, { caller, request }) =>
        webSearch.configure(body, { userId: caller.userId, address: addressOf(request) }),
    },
    check,
  );
}
