import type { FastifyInstance } from 'fastify';
import { inboxRoutes } from '../../contract/inbox.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerInbox(
  server: FastifyInstance,
  { inbox, notifications }: Pick<App, 'inbox' | 'notifications'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    inboxRoutes,
    {
      get: ({ query }, { caller }) => inbox.read(caller, query),
      markRead: async ({ body }, { caller }) => {
        const marked = await notifications.markAllRead(caller, body.until);
        return { message: 'Notifications marked as read', marked };
      },
    },
    check,
  );
}
