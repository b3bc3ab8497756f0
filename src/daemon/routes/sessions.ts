import type { FastifyInstance } from 'fastify';
import { sessionsRoutes } from '../../contract/sessions.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
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
      list: async (_, { caller }) => ({ sessions: await sessions.list(caller) }),
      revoke: async ({ params }, { caller }) => {
        await sessions.revoke(caller, params.id);
        return { message: 'The session has ended' };
      },
    },
    check,
  );
}
