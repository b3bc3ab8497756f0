import type { FastifyInstance } from 'fastify';
import { integrationsRoutes } from '../../contract/integrations.ts';
import type { App } from '../../core/app.ts';
import { addressOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerIntegrations(
  server: FastifyInstance,
  { webSearch }: App,
  check?: ResponseCheck,
): void {
  implement(
    server,
    integrationsRoutes,
    {
      webSearch: () => webSearch.describe(),
      setWebSearch: ({ body }, { caller, request }) =>
        webSearch.configure(body, { userId: caller.userId, address: addressOf(request) }),
    },
    check,
  );
}
