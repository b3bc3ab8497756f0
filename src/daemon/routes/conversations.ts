import type { FastifyInstance } from 'fastify';
import { conversationsRoutes } from '../../contract/conversations.ts';
import type { App } from '../../core/app.ts';
import { signalOf } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerConversations(
  server: FastifyInstance,
  { conversations }: App,
  check?: ResponseCheck,
): void {
  implement(
    server,
    conversationsRoutes,
    {
      list: ({ query }, { caller }) => conversations.list(caller, query),
      create: async ({ body }, { caller }) => ({ conversation: await conversations.create(caller, body) }),
      get: ({ params }, { caller }) => conversations.get(caller, params.id),
      remove: async ({ params }, { caller }) => {
        await conversations.remove(caller, params.id);
        return { message: 'The conversation is deleted' };
      },
      send: ({ params, body }, { caller, reply }) =>
        conversations.send(caller, params.id, body, signalOf(reply)),
    },
    check,
  );
}
