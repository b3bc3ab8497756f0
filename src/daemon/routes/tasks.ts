import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TaskEvent } from '../../contract/task.ts';
import { tasksRoutes } from '../../contract/tasks.ts';
import type { App } from '../../core/app.ts';
import { AppError } from '../../core/errors.ts';
import { countStream, EventStream, signalOfReader } from '../event-stream.ts';
import { clientOf } from '../credentials.ts';
import { rangeOf } from '../byte-range.ts';
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
    | 'runProgress'
    | 'taskChecks'
    | 'taskTraces'
    | 'taskOutputReader'
    | 'taskAnalytics'
    | 'taskExport'
    | 'taskImport'
    | 'candidates'
    | 'changes'
    | 'worktreeChanges'
    | 'agentSessions'
    | 'publications'
    | 'openStreams'
    | 'accessWatch'
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
      get: async ({ params }, { caller }) => {
        const task = await tasks.get(caller, params.id);
        const session = await app.agentSessions.latest(task.id);
        const progress = app.runProgress.of(task.id);
        return {
          task: { ...task, ...(progress && { progress }) },
          ...(session && { session: sessionOf(session) }),
        };
      },
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
      getCandidates: ({ params }, { caller }) => app.candidates.list(caller, params.id),
      pick: async ({ params, body }, { caller }) => ({
        message: 'Candidate chosen',
        choice: await app.candidates.pick(caller, params.id, body.candidateId),
      }),
      getChanges: ({ params }, { caller }) => app.changes.ofTask(caller, params.id),
      listChangedFiles: ({ params }, { caller }) => app.changes.filesOfTask(caller, params.id),
      getFilePatch: ({ params, query }, { caller }) => app.changes.patchOfTask(caller, params.id, query),
      getPatch: async ({ params }, { caller }) => {
        const patch = await app.worktreeChanges.patch(caller, params.id);
        return new BytesAnswer(Readable.from([patch]));
      },
      applyChanges: ({ params }, { caller, request }) =>
        app.worktreeChanges.apply(caller, params.id, clientOf(request).address),
      commitChanges: ({ params, body }, { caller, request }) =>
        app.worktreeChanges.commit(caller, params.id, { ...body, address: clientOf(request).address }),
      pushChanges: async ({ params, query }, { caller, request, reply }) => {
        const publishing = { ...query, address: clientOf(request).address };
        return acceptedIfWaiting(reply, await app.publications.push(caller, params.id, publishing));
      },
      openPullRequest: async ({ params, query, body }, { caller, request, reply }) => {
        const publishing = { ...query, address: clientOf(request).address };
        return acceptedIfWaiting(reply, await app.publications.open(caller, params.id, body, publishing));
      },
      discardChanges: ({ params, body }, { caller, request }) =>
        app.worktreeChanges.discard(caller, params.id, { ...body, address: clientOf(request).address }),
      undo: ({ params, body }, { caller, request }) =>
        app.changes.undoTask(caller, params.id, { ...body, address: clientOf(request).address }),
      getTrace: ({ params }, { caller }) => app.taskTraces.read(caller, params.id),
      getChecks: ({ params }, { caller }) => app.taskChecks.read(caller, params.id),
      getOutput: async ({ params, query, headers }, { caller, reply }) => {
        const { stream, offset, limit = Number.POSITIVE_INFINITY } = query;
        const signal = signalOfReader(app, caller, reply);
        if (query.follow) {
          const pieces = await app.taskOutputReader.follow(caller, params.id, { stream, offset }, signal);
          countStream(app, caller, reply.raw);
          return new BytesAnswer(upTo(pieces, limit, signal));
        }
        const source = await app.taskOutputReader.open(caller, params.id, stream);
        reply.header('output-size', source.size);
        const size = Math.max(0, Math.min(source.size - offset, limit));
        const { start, end } = rangeOf(reply, headers, { size, tag: source.tag });
        countStream(app, caller, reply.raw);
        const pieces = source.read(offset + start, offset + end);
        return new BytesAnswer(upTo(pieces, end - start, signal), end - start);
      },
      searchOutput: async ({ params, query }, { caller, reply }) => {
        const signal = signalOfReader(app, caller, reply);
        countStream(app, caller, reply.raw);
        return app.taskOutputReader.search(caller, params.id, query, signal);
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

/** 202 where a person has to decide first. */
function acceptedIfWaiting<T extends { status: string }>(reply: FastifyReply, answer: T): T {
  if (answer.status === 'waiting_for_approval') reply.code(202);
  return answer;
}

const sessionOf = ({
  agent,
  session_id: id,
  cli_version: version,
}: NonNullable<Awaited<ReturnType<App['agentSessions']['latest']>>>) => ({
  agent,
  id,
  ...(version !== null && { version }),
});

function lastEventId(value: string | undefined): number {
  if (value === undefined || value === '') return 0;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new AppError('validation', 'Validation failed', {
    details: [{ path: 'last-event-id', message: 'Expected the number of an event' }],
  });
}

/** The first bytes of what comes, as long as the caller may read them. */
async function* upTo(
  pieces: AsyncIterable<Uint8Array>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let left = limit;
  if (left === 0) return;
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

async function* toServerSentEvents(events: AsyncIterable<TaskEvent>) {
  for await (const event of events) yield { id: String(event.seq), data: event };
}
