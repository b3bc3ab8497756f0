import type { FastifyInstance } from 'fastify';
import { conversationsRoutes } from '../../contract/conversations.ts';
import type { App } from '../../core/app.ts';
import { clientOf } from '../credentials.ts';
import { countStream, EventStream, signalOf, signalOfReader, streamAnswer } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerConversations(
  server: FastifyInstance,
  app: Pick<
    App,
    | 'conversations'
    | 'conversationCompaction'
    | 'changes'
    | 'loadRuns'
    | 'answererOf'
    | 'accessWatch'
    | 'openStreams'
  >,
  check?: ResponseCheck,
): void {
  const { conversations, conversationCompaction } = app;
  implement(
    server,
    conversationsRoutes,
    {
      list: ({ query }, { caller }) => conversations.list(caller, query),
      create: async ({ body }, { caller }) => ({ conversation: await conversations.create(caller, body) }),
      get: ({ params }, { caller }) => conversations.get(caller, params.id),
      followEvents: async ({ params, headers }, { caller, reply }) => {
        countStream(app, caller, reply.raw);
        const signal = signalOfReader(app, caller, reply);
        const after = headers['last-event-id'];
        return new EventStream(await conversations.follow(caller, params.id, after, signal));
      },
      stopTurn: async ({ params }, { caller }) => {
        const { turnStopper } = await app.loadRuns();
        return {
          message: (await turnStopper.stop(caller, params.id)) ? 'Turn stopped' : 'No turn is running',
        };
      },
      compact: ({ params, body }, { caller, reply }) =>
        conversationCompaction.compact(caller, params.id, body, signalOf(reply)),
      getChanges: ({ params, query }, { caller }) =>
        app.changes.ofConversation(caller, params.id, query.turn),
      undo: ({ params, body }, { caller, request }) =>
        app.changes.undoTurn(caller, params.id, { ...body, address: clientOf(request).address }),
      delete: async ({ params }, { caller }) => {
        await conversations.remove(caller, params.id);
        return { message: 'Conversation deleted' };
      },
      sendMessage: ({ params, body }, { caller, reply }) =>
        conversations.send(caller, params.id, body, signalOf(reply)),
      sendMessageWithTools: async ({ params, body }, { caller, request, reply }) => {
        const answerer = await app.answererOf(caller, params.id);
        if (!request.headers.accept?.includes('text/event-stream'))
          return answerer.send(caller, params.id, body, signalOf(reply));
        return streamAnswer(app, caller, reply, (signal) => answerer.stream(caller, params.id, body, signal));
      },
      sendAgenticMessage: async ({ params, body }, { caller, reply }) => {
        const { agentic } = await app.loadRuns();
        return streamAnswer(app, caller, reply, (signal) => agentic.start(caller, params.id, body, signal));
      },
    },
    check,
  );
}
