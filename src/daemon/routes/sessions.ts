import type { FastifyInstance } from 'fastify';
import { sessionsRoutes } from '../../contract/sessions.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerSessions(
  server: FastifyInstance,
  { sessions }: Pick<App, 'sessions'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    sessionsRoutes,
    {
      list: async ({ query }, { caller }) => pageOf('sessions', await sessions.list(caller), query),
      revoke: async ({ params }, { caller }) => {
        await sessions.revoke(caller, params.id);
        return { message: 'Session ended' };
      },
    },
    check,
  );
}
