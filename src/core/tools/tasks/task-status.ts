import { z } from 'zod';
import type { Task } from '../../../contract/task.ts';
import type { Caller } from '../../auth/caller.ts';
import { AppError } from '../../errors.ts';
import { defineTool, type Tool, ToolFailure } from '../tool.ts';

const MAX_TEXT = 8000;

export interface TaskStatusDeps {
  get: (caller: Caller, id: string) => Promise<Task>;
}

/** `task_status`: shows the state and the result of a task of the same user. */
export const taskStatusTool = ({ get }: TaskStatusDeps): Tool =>
  defineTool({
    name: 'task_status',
    description:
      'Shows a task of this service: its status, its agent, and its result or error once it has finished. Takes the id that task_create returned.',
    input: z.object({ taskId: z.string().min(1).max(200) }),
    isReadOnly: true,
    danger: 'low',
    plan: ({ taskId }, { userId }) => ({
      access: {},
      run: async () => {
        const task = await get({ userId, role: 'user' }, taskId).catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'not_found')
            throw new ToolFailure(`There is no task ${taskId}`);
          throw error;
        });
        const { id, title, status, agentType, attempts, result, error } = task;
        const lines = [
          `${id} ${status}: ${title}`,
          `Agent: ${agentType ?? 'none yet'}, attempts: ${attempts}`,
        ];
        if (error) lines.push(`Error (${error.class}): ${error.message}`);
        if (result) lines.push('', result.output.slice(0, MAX_TEXT));
        return { content: lines.join('\n'), origin: 'A task of this service' };
      },
    }),
  });
