import type { FastifyInstance } from 'fastify';
import { chatRoutes } from '../../contract/chat.ts';
import type { App } from '../../core/app.ts';
import { signalOf, streamAnswer } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerChat(
  server: FastifyInstance,
  app: Pick<App, 'completions' | 'modelProviders' | 'approvals' | 'accessWatch' | 'openStreams'>,
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
        return streamAnswer(app, caller, reply, (signal) => completions.stream(caller, body, signal));
      },
      createQuickCompletion: ({ body }, { caller, reply }) =>
        completions.quick(caller, body, signalOf(reply)),
      createSmartCompletion: ({ body }, { caller, reply }) =>
        completions.smart(caller, body, signalOf(reply)),
      decideApproval: ({ body }, { caller }) =>
        app.approvals.decide(caller, body.approvalId, body.decision, body),
      listModels: ({ query }) => modelProviders.models(query),
    },
    check,
  );
}
