import type { FastifyInstance } from 'fastify';
import { integrationsRoutes } from '../../contract/integrations.ts';
import type { App } from '../../core/app.ts';
import { AppError } from '../../core/errors.ts';
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
      codehost: notYet,
      trackerA: notYet,
      trackerB: notYet,
      disconnectCodehost: notYet,
      disconnectTrackerA: notYet,
      disconnectTrackerB: notYet,
      webhooksStatus: notYet,
      webSearch: () => webSearch.describe(),
      setWebSearch: ({ body }, { caller, request }) =>
        webSearch.configure(body, { userId: caller.userId, address: addressOf(request) }),
    },
    check,
  );
}

const notYet = (): never => {
  throw new AppError('unsupported', 'Not there yet');
};
