import type { FastifyInstance } from 'fastify';
import { pushRoutes } from '../../contract/push.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import { pageOf } from '../page-of.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerPush(
  server: FastifyInstance,
  { push }: Pick<App, 'push'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    pushRoutes,
    {
      list: async ({ query }, { caller }) => {
        const { publicKey, subscriptions } = await push.list(caller);
        return { publicKey, ...pageOf('subscriptions', subscriptions, query) };
      },
      subscribe: async ({ body }, { caller }) => ({ subscription: await push.subscribe(caller, body) }),
      unsubscribe: async ({ params }, { caller }) => {
        await push.unsubscribe(caller, params.id);
        return { message: 'No more notifications are sent to this browser' };
      },
      sendTest: ({ params }, { caller }) => push.test(caller, params.id),
    },
    check,
  );
}
