import type { FastifyInstance } from 'fastify';
import { memoryRoutes } from '../../contract/memory.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerMemory(
  server: FastifyInstance,
  { memory, memorySessions }: Pick<App, 'memory' | 'memorySessions'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    memoryRoutes,
    {
      search: ({ body }) => memory.search(body),
      explainSearch: ({ body }) => memory.explain(body),
      sync: ({ body }, { caller }) => memory.sync(caller, body.basePath),
      cancelSync: async () => {
        await memory.cancelSync();
        return { message: 'Sync stopped. The files that it indexed are kept.' };
      },
      getStats: () => memory.stats(),
      listFiles: ({ query }) => memory.files(query),
      listChunks: async ({ params }) => ({ path: params.path, chunks: await memory.chunks(params.path) }),
      deleteChunk: async ({ params }) => {
        await memory.removeChunk(params.id);
        return { message: 'Deleted until its file changes' };
      },
      deleteFile: async ({ params }) => {
        await memory.removeFile(params.path);
        return { message: 'Deleted until the next sync of its folder' };
      },
      deleteAll: async () => {
        await memory.clear();
        return { message: 'File index cleared' };
      },
      listSessions: ({ query }, { caller }) => memorySessions.list(caller, query),
      createSession: async ({ body }, { caller }) => ({
        session: await memorySessions.create(caller, body),
      }),
      archiveSession: async ({ params }, { caller }) => ({
        session: await memorySessions.archive(caller, params.id),
      }),
      warm: ({ body }) => memory.warm(body.query),
      getWatcherStatus: () => memory.watcher(),
    },
    check,
  );
}
