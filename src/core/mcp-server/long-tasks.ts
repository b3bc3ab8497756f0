import {
  type CallToolResult,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '../auth/caller.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { declaredBy } from './ask-person.ts';
import { describeProgress } from './describe-task.ts';
import { requireMayCall } from './served-tool.ts';
import type { TaskState } from './task-state.ts';
import type { TaskViews } from './task-views.ts';
import { toResult } from './tool-result.ts';
import { cancelScopes } from './tools/cancel-task.ts';
import { readScopes } from './tools/read-tasks.ts';

/** The extension of the protocol for work that outlives a request, of revision 2026-07-28. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

const POLL_MS = 2000;
const required = { extensions: { [tasksExtension]: {} } };

/** Whether the request says that its client takes task handles. */
export function declaresTasks(context: ServerContext): boolean {
  const { extensions } = declaredBy(context);
  return extensions !== undefined && Object.hasOwn(extensions, tasksExtension);
}

export interface LongTaskDeps {
  views: TaskViews;
  tasks: Pick<TaskService, 'cancel'>;
}

/**
 * The tasks of the protocol are those of svc, under the same id: there is nothing to keep, so that any daemon of a cluster
 * can answer, also after a restart.
 */
export class LongTasks {
  readonly #deps: LongTaskDeps;
  constructor(deps: LongTaskDeps) {
    this.#deps = deps;
  }

  /** The handle in place of the result of a call that waits for the task. */
  async handle(caller: Caller, id: string): Promise<CallToolResult> {
    const state = await this.#deps.views.read(caller, id);
    return { content: [], resultType: 'task', ...headOf(state), status: 'working' };
  }

  /** Answers the methods of the extension. */
  serve(server: Server, caller: Caller): void {
    const params = z.looseObject({ taskId: z.string().min(1).max(200) });
    const { views, tasks } = this.#deps;
    const on = (method: string, scopes: typeof readScopes | typeof cancelScopes, run: Handler) =>
      server.setRequestHandler(method, { params }, async ({ taskId }, context) => {
        if (!declaresTasks(context))
          throw new MissingRequiredClientCapabilityError({ requiredCapabilities: required });
        requireMayCall(caller, { scopes });
        return run(taskId);
      });
    on('tasks/get', readScopes, async (id) => this.#detailed(await views.read(caller, id)));
    on('tasks/cancel', cancelScopes, async (id) => {
      const { finished } = await views.read(caller, id);
      if (!finished) await tasks.cancel(caller, id);
      return {};
    });
    // No task of svc asks its client for input, so there is nothing to take.
    on('tasks/update', readScopes, async (id) => {
      await views.read(caller, id);
      return {};
    });
  }

  #detailed(state: TaskState): Record<string, unknown> {
    const head = headOf(state);
    if (!state.finished) return { ...head, status: 'working' };
    if (state.status === 'cancelled') return { ...head, status: 'cancelled' };
    // A task that failed is a result too: only errors of the protocol make a task of the protocol fail.
    const result = { ...toResult(this.#deps.views.answer(state)), resultType: 'complete' };
    return { ...head, status: 'completed', result };
  }
}

type Handler = (id: string) => Promise<Record<string, unknown>>;

function headOf({ id, status, progress, createdAt, startedAt, completedAt }: TaskState) {
  return {
    taskId: id,
    statusMessage: progress ? `${status}: ${describeProgress(progress)}` : status,
    createdAt,
    lastUpdatedAt: completedAt ?? startedAt ?? createdAt,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}
