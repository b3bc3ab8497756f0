import type { FastifyInstance } from 'fastify';
import { chatRoutes } from '../../contract/chat.ts';
import type { App } from '../../core/app.ts';
import { EventStream, signalOf, signalOfReader, toEvents } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerChat(
  server: FastifyInstance,
  app: Pick<App, 'completions' | 'modelProviders' | 'approvals' | 'bus'>,
  check?: ResponseCheck,
): void {
  const { completions, modelProviders } = app;
  implement(
    server,
    chatRoutes,
    {
      createCompletion: async ({ body }, { caller, request, reply }) => {
        const isStream = body.stream || request.headers.accept?.includes('text/event-stream');
        if (!isStream) return completions.complete(caller, body, signalOf(reply));
        const signal = signalOfReader(app, caller, reply);
        return new EventStream(toEvents(await completions.stream(caller, body, signal)));
      },
      createQuickCompletion: ({ body }, { reply }) => completions.quick(body, signalOf(reply)),
      createSmartCompletion: ({ body }, { caller, reply }) =>
        completions.smart(caller, body, signalOf(reply)),
      decideApproval: async ({ body }, { caller }) => ({
        approval: await app.approvals.decide(caller, body.approvalId, body.decision, body.conversationId),
      }),
      listModels: ({ query }) => modelProviders.models(query),
    },
    check,
  );
}
