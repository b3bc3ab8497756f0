import type { FastifyInstance } from 'fastify';
import { configRoutes } from '../../contract/config.ts';
import type { App } from '../../core/app.ts';
import { clientOf } from '../credentials.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerConfig(
  server: FastifyInstance,
  app: Pick<App, 'config' | 'membership' | 'settings'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    configRoutes,
    {
      list: ({ query }) => pageOf('settings', app.config.list(), query),
      update: async ({ params, body }, { caller, request }) => {
        const setting = await app.settings.change(caller, params.key, body.value, clientOf(request));
        const message =
          setting.pending === undefined
            ? `${setting.key} is set`
            : `${setting.key} is set and takes effect at the next start`;
        const daemon = setting.scope === 'daemon' ? app.membership?.name : undefined;
        return { message, setting, ...(daemon !== undefined && { daemon }) };
      },
    },
    check,
  );
}
