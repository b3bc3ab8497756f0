import { z } from 'zod';
import { createTaskSchema } from '../../../contract/task.ts';
import { titleOf } from '../../../contract/task-title.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import { defineServedTool, type ServedTool } from '../served-tool.ts';
import { taskStateSchema, toTaskState } from '../task-state.ts';
import type { TaskViews } from '../task-views.ts';

// Environment variables stay out: a model that passes them would have to see them.
const { shape } = createTaskSchema.pick({
  priority: true,
  labels: true,
  assignedAgent: true,
  cwd: true,
  worktree: true,
  verify: true,
  model: true,
  maxSteps: true,
  maxBudget: true,
  maxCostUsd: true,
  maxTimeMs: true,
  maxAttempts: true,
  continues: true,
  idempotencyKey: true,
});

const input = z.strictObject({
  prompt: z.string().min(1).max(200_000).meta({
    description: 'What to do, with everything that the agent has to know: it does not see this conversation',
  }),
  title: createTaskSchema.shape.title
    .optional()
    .meta({ description: 'The first line of the prompt unless given' }),
  ...shape,
  assignedAgent: shape.assignedAgent.meta({
    description:
      'The type of the agent, such as builtin, claude, codex or command; the labels decide unless given',
  }),
  idempotencyKey: shape.idempotencyKey.meta({
    description: 'The same key with the same input creates the task only once',
  }),
});

/** `create_task`: under the rules of `POST /api/tasks`. */
export const createTaskTool = (deps: { tasks: Pick<TaskService, 'create'>; views: TaskViews }): ServedTool =>
  defineServedTool({
    name: 'create_task',
    title: 'Create a task',
    description:
      'Creates a task that an AI agent of svc works on, now or when one is free, and answers at once with its id. Use wait_for_task for the result. To have an agent work on files, give the absolute path of their directory as cwd.',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    scopes: ['tasks:write'],
    input,
    output: taskStateSchema.extend({
      warnings: z.array(z.string()).optional().meta({ description: 'What to know about what was accepted' }),
    }),
    run: async ({ title, prompt, ...rest }, { caller }) => {
      const { task, isReplay, warnings } = await deps.tasks.create(caller, {
        ...rest,
        title: title ?? (titleOf(prompt) || 'A task'),
        prompt,
        source: 'api',
      });
      const first = isReplay ? 'This task was created before with the same key.' : 'Task created.';
      const { structured, text } = deps.views.answer(toTaskState(task), [first, ...warnings].join('\n'));
      return { structured: { ...structured, ...(warnings.length > 0 && { warnings }) }, text };
    },
  });
