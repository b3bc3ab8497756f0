import type { FastifyInstance } from 'fastify';
import { openaiRoutes } from '../../contract/openai.ts';
import type { App } from '../../core/app.ts';
import { signalOfReader, streamText } from '../event-stream.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerOpenAi(
  server: FastifyInstance,
  app: Pick<App, 'loadOpenAi' | 'accessWatch' | 'openStreams'>,
  check?: ResponseCheck,
): void {
  const { loadOpenAi } = app;
  implement(
    server,
    openaiRoutes,
    {
      listModels: async (_, { caller }) => {
        const { models } = await loadOpenAi();
        return { object: 'list' as const, data: await models.list(caller) };
      },
      getModel: async ({ params }, { caller }) => (await loadOpenAi()).models.find(caller, params.id),
      createChatCompletion: async ({ body }, { caller, reply }) => {
        const { api } = await loadOpenAi();
        if (!body.stream) return api.complete(caller, body, signalOfReader(app, caller, reply));
        return streamText(app, caller, reply, (signal) => api.streamCompletion(caller, body, signal));
      },
      createResponse: async ({ body }, { caller, reply }) => {
        const { api } = await loadOpenAi();
        if (!body.stream) return api.respond(caller, body, signalOfReader(app, caller, reply));
        return streamText(app, caller, reply, (signal) => api.streamResponse(caller, body, signal));
      },
      createEmbeddings: async ({ body }, { caller, reply }) => {
        const { embeddings } = await loadOpenAi();
        return embeddings.embed(caller, body, signalOfReader(app, caller, reply));
      },
    },
    check,
  );
}
