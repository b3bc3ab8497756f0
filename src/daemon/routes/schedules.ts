import type { FastifyInstance } from 'fastify';
import { schedulesRoutes } from '../../contract/schedules.ts';
import type { App } from '../../core/app.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerSchedules(
  server: FastifyInstance,
  { schedules }: Pick<App, 'schedules'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    schedulesRoutes,
    {
      list: ({ query }, { caller }) => schedules.list(caller, query),
      create: async ({ body }, { caller }) => ({ schedule: await schedules.create(caller, body) }),
      preview: ({ body }) => schedules.preview(body),
      get: async ({ params }, { caller }) => ({ schedule: await schedules.get(caller, params.id) }),
      update: async ({ params, body }, { caller }) => ({
        schedule: await schedules.change(caller, params.id, body),
      }),
      run: ({ params }, { caller }) => schedules.run(caller, params.id),
      delete: async ({ params }, { caller }) => {
        await schedules.remove(caller, params.id);
        return { message: 'Schedule deleted. Its tasks are kept.' };
      },
    },
    check,
  );
}
