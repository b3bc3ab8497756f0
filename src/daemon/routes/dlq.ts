import type { FastifyInstance } from 'fastify';
import { dlqRoutes } from '../../contract/dlq.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerDlq(
  server: FastifyInstance,
  { deadLetters }: Pick<App, 'deadLetters'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    dlqRoutes,
    {
      list: ({ query }, { caller }) => deadLetters.list(caller, query),
      get: async ({ params }, { caller }) => ({ item: await deadLetters.get(caller, params.id) }),
      retry: async ({ params }, { caller }) => ({
        message: 'Task requeued',
        item: await deadLetters.retry(caller, params.id),
      }),
      discard: async ({ params }, { caller }) => ({
        message: 'Dead letter discarded',
        item: await deadLetters.discard(caller, params.id),
      }),
      resolve: async ({ params, body }, { caller }) => ({
        message: 'Dead letter resolved',
        item: await deadLetters.resolve(caller, params.id, body.note),
      }),
    },
    check,
  );
}
