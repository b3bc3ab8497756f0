import { z } from 'zod';
import { filterTasksQuerySchema } from '../../../contract/tasks.ts';
import { listedTaskSchema, taskStatusSchema } from '../../../contract/task.ts';
import type { TaskListService } from '../../tasks/task-list-service.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { defineServedTool, reads, type ServedTool } from '../served-tool.ts';
import { taskStateSchema } from '../task-state.ts';
import type { TaskViews } from '../task-views.ts';

/** The scope to write tasks includes reading them. */
export const readScopes = ['tasks:read', 'tasks:write'] as const;

export const taskIdSchema = z.string().min(1).max(200).meta({ description: 'The id of the task' });

/** `get_task`. */
export const getTaskTool = ({ views }: { views: TaskViews }): ServedTool =>
  defineServedTool({
    name: 'get_task',
    title: 'Get a task',
    description: 'Gets the state of a task, and its result or error once it is finished. Does not wait.',
    hints: reads,
    scopes: readScopes,
    input: z.strictObject({ id: taskIdSchema }),
    output: taskStateSchema,
    run: async ({ id }, { caller }) => views.answer(await views.read(caller, id)),
  });

const listed = listedTaskSchema.pick({
  id: true,
  title: true,
  status: true,
  priority: true,
  labels: true,
  assignedAgent: true,
  createdAt: true,
  updatedAt: true,
});

/** `list_tasks`: newest first. */
export const listTasksTool = ({ taskLists }: { taskLists: Pick<TaskListService, 'filter'> }): ServedTool =>
  defineServedTool({
    name: 'list_tasks',
    title: 'List tasks',
    description: 'Lists tasks, newest first, a page at a time.',
    hints: reads,
    scopes: readScopes,
    input: z.strictObject({
      status: z.array(taskStatusSchema).max(6).optional(),
      agent: filterTasksQuerySchema.shape.agent,
      labels: z.array(z.string().min(1).max(100)).max(20).optional(),
      q: filterTasksQuerySchema.shape.q.meta({ description: 'Words in the title, description or result' }),
      limit: z.int().min(1).max(100).default(20),
      cursor: filterTasksQuerySchema.shape.cursor.meta({ description: '`nextCursor` of the page before' }),
    }),
    output: z.object({
      tasks: z.array(z.object(listed.shape)),
      total: z.int(),
      nextCursor: z.string().optional(),
    }),
    run: async (query, { caller }) => {
      const { tasks, total, nextCursor } = await taskLists.filter(caller, {
        ...query,
        sortBy: 'createdAt',
        sortOrder: 'desc',
        fields: Object.keys(listed.shape) as (keyof typeof listed.shape)[],
      });
      const lines = tasks.map(({ id, status, title }) => `${id} ${status} ${visibleLine(title ?? '')}`);
      const more = nextCursor === undefined ? '' : `\nMore with cursor ${nextCursor}`;
      return {
        structured: { tasks, total, ...(nextCursor !== undefined && { nextCursor }) },
        text: `${lines.length > 0 ? lines.join('\n') : 'No tasks.'}${more}`,
      };
    },
  });
