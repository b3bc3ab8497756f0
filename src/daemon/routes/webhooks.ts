import type { FastifyInstance } from 'fastify';
import { webhooksRoutes } from '../../contract/webhooks.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerWebhooks(
  server: FastifyInstance,
  { webhooks }: Pick<App, 'webhooks'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    webhooksRoutes,
    {
      list: async (_, { caller }) => ({ webhooks: await webhooks.list(caller) }),
      create: async ({ body }, { caller }) => ({ webhook: await webhooks.create(caller, body) }),
      get: async ({ params }, { caller }) => ({ webhook: await webhooks.get(caller, params.id) }),
      update: async ({ params, body }, { caller }) => ({
        webhook: await webhooks.change(caller, params.id, body),
      }),
      delete: async ({ params }, { caller }) => {
        await webhooks.remove(caller, params.id);
        return { message: 'Webhook deleted' };
      },
      rotateSecret: async ({ params, body }, { caller }) => ({
        webhook: await webhooks.rotateSecret(caller, params.id, body),
      }),
      sendTest: async ({ params }, { caller }) => ({ delivery: await webhooks.test(caller, params.id) }),
      listDeliveries: ({ params, query }, { caller }) => webhooks.deliveries(caller, params.id, query),
      redeliver: async ({ params }, { caller }) => ({
        message: 'Delivery sent again',
        delivery: await webhooks.redeliver(caller, params.id, params.deliveryId),
      }),
    },
    check,
  );
}
