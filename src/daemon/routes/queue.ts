import type { FastifyInstance } from 'fastify';
import { queueRoutes } from '../../contract/queue.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerQueue(
  server: FastifyInstance,
  { queue }: Pick<App, 'queue'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    queueRoutes,
    {
      getStatus: () => queue.status(),
      pause: async (_, { caller }) => {
        await queue.pause(caller);
        return { message: 'Queue paused', paused: true };
      },
      resume: async (_, { caller }) => {
        await queue.resume(caller);
        return { message: 'Queue resumed', paused: false };
      },
    },
    check,
  );
}
