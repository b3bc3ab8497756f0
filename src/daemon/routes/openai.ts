import type { FastifyInstance } from 'fastify';
import { openaiRoutes } from '../../contract/openai.ts';
import type { App } from '../../core/app.ts';
import { signalOfReader, streamText } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerOpenAi(
  server: FastifyInstance,
  app: Pick<App, 'openaiApi' | 'openaiEmbeddings' | 'openaiModels' | 'accessWatch' | 'openStreams'>,
  check?: ResponseCheck,
): void {
  const { openaiApi, openaiEmbeddings, openaiModels } = app;
  implement(
    server,
    openaiRoutes,
    {
      listModels: async (_, { caller }) => ({
        object: 'list' as const,
        data: await openaiModels.list(caller),
      }),
      getModel: ({ params }, { caller }) => openaiModels.find(caller, params.id),
      createChatCompletion: ({ body }, { caller, reply }) =>
        body.stream
          ? streamText(app, caller, reply, (signal) => openaiApi.streamCompletion(caller, body, signal))
          : openaiApi.complete(caller, body, signalOfReader(app, caller, reply)),
      createResponse: ({ body }, { caller, reply }) =>
        body.stream
          ? streamText(app, caller, reply, (signal) => openaiApi.streamResponse(caller, body, signal))
          : openaiApi.respond(caller, body, signalOfReader(app, caller, reply)),
      createEmbeddings: ({ body }, { caller, reply }) =>
        openaiEmbeddings.embed(caller, body, signalOfReader(app, caller, reply)),
    },
    check,
  );
}
