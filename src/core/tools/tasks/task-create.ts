import { z } from 'zod';
import type { CreateTask, Task } from '../../../contract/task.ts';
import { prioritySchema } from '../../../contract/task.ts';
import { stricterMode } from '../../policy/security-modes.ts';
import { defineTool, type Tool, ToolFailure } from '../tool.ts';

/** The longest chain of tasks that create tasks. */
const MAX_DEPTH = 3;

export interface NewToolTask {
  userId: string;
  isTrusted: boolean;
  task: Omit<CreateTask, 'idempotencyKey'>;
}
export interface TaskCreateDeps {
  /** Creates a task that must not run commands. */
  create: (input: NewToolTask) => Promise<Task>;
  /** The depth of a task in a chain of tasks that created each other. */
  depthOf: (taskId: string | undefined) => Promise<number>;
}

/** `task_create`: delegates work to another run of the built-in agent, with no more rights than the current run. */
export const taskCreateTool = ({ create, depthOf }: TaskCreateDeps): Tool =>
  defineTool({
    name: 'task_create',
    description:
      'Creates a task that the built-in agent works on later, on its own and in its own folder. For work that is separate from yours. Returns its id; use task_status to check on it.',
    input: z.object({
      title: z.string().trim().min(1).max(500),
      prompt: z.string().min(1).max(100_000).describe('Everything that the agent has to know'),
      priority: prioritySchema.optional(),
      labels: z.array(z.string().min(1).max(100)).max(20).optional(),
    }),
    isReadOnly: false,
    danger: 'medium',
    plan: ({ title, prompt, priority = 3, labels = [] }, { userId, mode, isTrusted, taskId }) => ({
      access: {},
      run: async () => {
        const depth = (await depthOf(taskId)) + 1;
        if (depth > MAX_DEPTH)
          throw new ToolFailure(
            `Tasks that create tasks may not go deeper than ${MAX_DEPTH}: do the work yourself`,
          );
        const task = await create({
          userId,
          isTrusted,
          task: {
            title,
            prompt,
            priority,
            labels,
            source: 'api',
            assignedAgent: 'builtin',
            // Never less strict than the mode of this run.
            securityMode: stricterMode(mode, 'ask'),
            metadata: { depth, ...(taskId !== undefined && { createdBy: taskId }) },
          },
        });
        return { content: `Created ${task.id}: ${title}` };
      },
    }),
  });
