import type { FastifyInstance } from 'fastify';
import { preferencesRoutes } from '../../contract/preferences.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerPreferences(
  server: FastifyInstance,
  { preferences }: Pick<App, 'preferences'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    preferencesRoutes,
    {
      track: async ({ body }, { caller }) => ({ preference: await preferences.track(caller, body) }),
      list: async ({ params, query }, { caller }) =>
        pageOf('preferences', await preferences.list(caller, params.userId), query),
      delete: async ({ params }, { caller }) => {
        await preferences.remove(caller, params.userId, params.id);
        return { message: 'Preference deleted' };
      },
    },
    check,
  );
}
