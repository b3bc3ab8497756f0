import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { TaskEvent } from '../../contract/task.ts';
import { tasksRoutes } from '../../contract/tasks.ts';
import type { App } from '../../core/app.ts';
import { AppError } from '../../core/errors.ts';
import { countStream, EventStream, signalOfReader } from '../event-stream.ts';
import { clientOf } from '../credentials.ts';
import { BytesAnswer, implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerTasks(
  server: FastifyInstance,
  app: Pick<
    App,
    | 'tasks'
    | 'taskDeletion'
    | 'taskLists'
    | 'taskEvents'
    | 'taskOutputReader'
    | 'taskAnalytics'
    | 'taskExport'
    | 'taskImport'
    | 'changes'
    | 'openStreams'
    | 'bus'
  >,
  check?: ResponseCheck,
): void {
  const { tasks, taskLists, taskEvents } = app;
  implement(
    server,
    tasksRoutes,
    {
      list: ({ query }, { caller }) => taskLists.list(caller, query),
      create: async ({ body, headers }, { caller, reply }) => {
        const key = headers['idempotency-key'] ?? body.idempotencyKey;
        const { task, isReplay, warnings } = await tasks.create(caller, {
          ...body,
          ...(key !== undefined && { idempotencyKey: key }),
        });
        if (isReplay) reply.code(200).header('idempotent-replay', 'true');
        return { message: 'Task created', task, ...(warnings.length > 0 && { warnings }) };
      },
      filter: ({ query }, { caller }) => taskLists.filter(caller, query),
      getAnalytics: ({ query }, { caller }) => app.taskAnalytics.read(caller, query.days),
      export: (_, { caller, reply }) => {
        reply.header('content-disposition', 'attachment; filename="svc-tasks.json"');
        return Readable.from(app.taskExport.stream(caller));
      },
      import: ({ body }, { caller }) => app.taskImport.run(caller, body.tasks),
      get: async ({ params }, { caller }) => ({ task: await tasks.get(caller, params.id) }),
      delete: async ({ params }, { caller, request }) => {
        await app.taskDeletion.delete(caller, params.id, clientOf(request).address);
        return { message: 'Task deleted' };
      },
      cancel: async ({ params }, { caller }) => ({
        message: 'Task cancelled',
        task: await tasks.cancel(caller, params.id),
      }),
      retry: async ({ params }, { caller }) => ({
        message: 'Task retried',
        task: await tasks.retry(caller, params.id),
        originalTaskId: params.id,
      }),
      release: async ({ params }, { caller }) => ({
        message: 'Task released',
        task: await tasks.release(caller, params.id),
      }),
      getChanges: ({ params }, { caller }) => app.changes.ofTask(caller, params.id),
      undo: ({ params, body }, { caller, request }) =>
        app.changes.undoTask(caller, params.id, { ...body, address: clientOf(request).address }),
      getOutput: async ({ params, query }, { caller, reply }) => {
        const signal = signalOfReader(app, caller, reply);
        const pieces = await app.taskOutputReader.read(caller, params.id, query, signal);
        countStream(app, caller, reply.raw);
        return new BytesAnswer(pieces);
      },
      listEvents: async ({ params, query, headers }, { caller, request, reply }) => {
        const accept = request.headers.accept ?? '*/*';
        const isStream =
          accept.includes('text/event-stream') ||
          (query.follow === true && !accept.includes('application/json'));
        if (!isStream) return taskEvents.list(caller, params.id, query);
        const after = Math.max(query.after, lastEventId(headers['last-event-id']));
        const events = await taskEvents.follow(
          caller,
          params.id,
          after,
          signalOfReader(app, caller, reply),
          query.follow !== false,
        );
        if (events) countStream(app, caller, reply.raw);
        return new EventStream(events && toServerSentEvents(events));
      },
    },
    check,
  );
}

function lastEventId(value: string | undefined): number {
  if (value === undefined || value === '') return 0;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new AppError('validation', 'Validation failed', {
    details: [{ path: 'last-event-id', message: 'Expected the number of an event' }],
  });
}

async function* toServerSentEvents(events: AsyncIterable<TaskEvent>) {
  for await (const event of events) yield { id: String(event.seq), data: event };
}
