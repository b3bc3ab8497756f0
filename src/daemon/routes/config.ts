import type { FastifyInstance } from 'fastify';
import { configRoutes } from '../../contract/config.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerConfig(server: FastifyInstance, app: App, check?: ResponseCheck): void {
  implement(
    server,
    configRoutes,
    {
      list: () => ({ settings: app.config.list() }),
      set: ({ params, body }) => {
        const setting = app.setSetting(params.key, body.value);
        const message =
          setting.pending === undefined
            ? `${setting.key} is set`
            : `${setting.key} is set and takes effect at the next start`;
        return { message, setting };
      },
    },
    check,
  );
}
