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
      pause: async () => {
        await queue.pause();
        return { message: 'The queue is paused', paused: true };
      },
      resume: async () => {
        await queue.resume();
        return { message: 'The queue goes on', paused: false };
      },
    },
    check,
  );
}
