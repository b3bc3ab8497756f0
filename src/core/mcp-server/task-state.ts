import { z } from 'zod';
import { runProgressSchema } from '../../contract/run-progress.ts';
import {
  type Task,
  taskChangesSchema,
  taskErrorSchema,
  taskResultSchema,
  taskSchema,
  usageSchema,
} from '../../contract/task.ts';
import { cutText } from '../text/cut-text.ts';
import { isTerminal } from '../tasks/task-states.ts';
import { taskUri } from './task-uris.ts';

/** Longer answers are cut, because they end up in the context of a model; the resource has all of it. */
export const MAX_OUTPUT = 20_000;

// Schemas without names, so that the JSON Schema of a tool has no references, which some clients cannot follow.
const changesSchema = z.object(taskChangesSchema.omit({ patch: true, pullRequest: true }).shape);
const resultSchema = taskResultSchema
  .pick({ success: true, output: true, cost: true, duration: true, model: true, verified: true })
  .extend({
    outputIsCut: z
      .literal(true)
      .optional()
      .meta({ description: `Only the first ${MAX_OUTPUT} characters; the resource has all of it` }),
    usage: z.object(usageSchema.shape).optional(),
    changes: changesSchema.optional(),
  });

/** A task as a model needs it. */
export const taskStateSchema = taskSchema
  .pick({
    id: true,
    title: true,
    status: true,
    priority: true,
    labels: true,
    assignedAgent: true,
    agentType: true,
    cwd: true,
    attempts: true,
    createdAt: true,
    startedAt: true,
    completedAt: true,
    scheduledFor: true,
  })
  .extend({
    finished: z.boolean().meta({ description: 'Whether it is completed, failed or cancelled' }),
    progress: z.object(runProgressSchema.shape).optional(),
    error: z.object(taskErrorSchema.shape).optional(),
    result: resultSchema.optional(),
    outputUri: z.string().meta({ description: 'The resource with the whole output' }),
    diffUri: z.string().optional().meta({ description: 'The resource with what it changed' }),
  });
export type TaskState = z.output<typeof taskStateSchema>;

/** The state of a task; long answers are cut. */
export function toTaskState(task: Task): TaskState {
  const { result, error, progress } = task;
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    finished: isTerminal(task.status),
    priority: task.priority,
    labels: task.labels,
    ...pickDefined(task, [
      'assignedAgent',
      'agentType',
      'cwd',
      'startedAt',
      'completedAt',
      'scheduledFor',
    ] as const),
    attempts: task.attempts,
    createdAt: task.createdAt,
    ...(progress && { progress }),
    ...(error && { error }),
    ...(result && { result: toResult(result) }),
    outputUri: taskUri(task.id, 'output'),
    ...(result?.changes && { diffUri: taskUri(task.id, 'diff') }),
  };
}

function toResult({ output, changes, ...result }: NonNullable<Task['result']>): TaskState['result'] {
  return {
    success: result.success,
    output: cutText(output, MAX_OUTPUT),
    ...(output.length > MAX_OUTPUT && { outputIsCut: true as const }),
    duration: result.duration,
    ...pickDefined(result, ['usage', 'cost', 'model', 'verified'] as const),
    ...(changes && {
      changes: {
        base: changes.base,
        head: changes.head,
        branch: changes.branch,
        files: changes.files,
        additions: changes.additions,
        deletions: changes.deletions,
      },
    }),
  };
}

/** The fields that the object has. */
function pickDefined<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(
    keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])),
  ) as Partial<Pick<T, K>>;
}
