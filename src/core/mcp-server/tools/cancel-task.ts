import { z } from 'zod';
import type { TaskService } from '../../tasks/task-service.ts';
import { defineServedTool, type ServedTool } from '../served-tool.ts';
import { taskStateSchema, toTaskState } from '../task-state.ts';
import type { TaskViews } from '../task-views.ts';
import { taskIdSchema } from './read-tasks.ts';

export const cancelScopes = ['tasks:write'] as const;

/** `cancel_task`. */
export const cancelTaskTool = (deps: { tasks: Pick<TaskService, 'cancel'>; views: TaskViews }): ServedTool =>
  defineServedTool({
    name: 'cancel_task',
    title: 'Cancel a task',
    description: 'Cancels a task that is not finished and stops its agent.',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    scopes: cancelScopes,
    input: z.strictObject({ id: taskIdSchema }),
    output: taskStateSchema,
    run: async ({ id }, { caller }) =>
      deps.views.answer(toTaskState(await deps.tasks.cancel(caller, id)), 'Task cancelled.'),
  });
