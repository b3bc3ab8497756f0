import type { FastifyInstance } from 'fastify';
import { notificationsRoutes } from '../../contract/notifications.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerNotifications(
  server: FastifyInstance,
  { notifications }: Pick<App, 'notifications'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    notificationsRoutes,
    {
      list: ({ query }, { caller }) => notifications.list(caller, query),
      markRead: async ({ params }, { caller }) => ({
        notification: await notifications.markRead(caller, params.id),
      }),
      markUnread: async ({ params }, { caller }) => ({
        notification: await notifications.markUnread(caller, params.id),
      }),
      delete: async ({ params }, { caller }) => {
        await notifications.delete(caller, params.id);
        return { message: 'Notification deleted' };
      },
    },
    check,
  );
}
