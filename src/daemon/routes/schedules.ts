import type { FastifyInstance } from 'fastify';
import { type Schedule, schedulesRoutes } from '../../contract/schedules.ts';
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
      create: async ({ body, headers }, { caller, reply }) => {
        const { isReplay, ...created } = await schedules.create(caller, body, headers['idempotency-key']);
        if (isReplay) reply.code(200).header('idempotent-replay', 'true');
        return created;
      },
      preview: ({ body }) => schedules.preview(body),
      get: async ({ params }, { caller }) => ({ schedule: await schedules.get(caller, params.id) }),
      update: ({ params, body }, { caller }) =>
        withWarnings((warn) => schedules.change(caller, params.id, body, warn)),
      run: ({ params }, { caller }) => schedules.run(caller, params.id),
      delete: async ({ params }, { caller }) => {
        await schedules.remove(caller, params.id);
        return { message: 'Schedule deleted. Its tasks are kept.' };
      },
    },
    check,
  );
}

/** The answer to a change, with what it warned of. */
async function withWarnings(change: (warn: (warning: string | undefined) => void) => Promise<Schedule>) {
  const warnings: string[] = [];
  const schedule = await change((warning) => {
    if (warning !== undefined) warnings.push(warning);
  });
  return { schedule, ...(warnings.length > 0 && { warnings }) };
}
