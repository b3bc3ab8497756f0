import type { FastifyInstance } from 'fastify';
import { conversationsRoutes } from '../../contract/conversations.ts';
import type { App } from '../../core/app.ts';
import { EventStream, signalOf, signalOfReader, toEvents } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerConversations(
  server: FastifyInstance,
  app: Pick<App, 'conversations' | 'loadRuns' | 'bus'>,
  check?: ResponseCheck,
): void {
  const { conversations } = app;
  implement(
    server,
    conversationsRoutes,
    {
      list: ({ query }, { caller }) => conversations.list(caller, query),
      create: async ({ body }, { caller }) => ({ conversation: await conversations.create(caller, body) }),
      get: ({ params }, { caller }) => conversations.get(caller, params.id),
      delete: async ({ params }, { caller }) => {
        await conversations.remove(caller, params.id);
        return { message: 'The conversation is deleted' };
      },
      sendMessage: ({ params, body }, { caller, reply }) =>
        conversations.send(caller, params.id, body, signalOf(reply)),
      sendMessageWithTools: async ({ params, body }, { caller, request, reply }) => {
        const { toolMessages } = await app.loadRuns();
        if (!request.headers.accept?.includes('text/event-stream'))
          return toolMessages.send(caller, params.id, body, signalOf(reply));
        const signal = signalOfReader(app, caller, reply);
        return new EventStream(toEvents(await toolMessages.stream(caller, params.id, body, signal)));
      },
      sendAgenticMessage: async ({ params, body }, { caller, reply }) => {
        const { agentic } = await app.loadRuns();
        const signal = signalOfReader(app, caller, reply);
        return new EventStream(toEvents(await agentic.start(caller, params.id, body, signal)));
      },
    },
    check,
  );
}
