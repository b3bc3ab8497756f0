import type { AgentRegistry } from '../agents/agent-registry.ts';
import { needsOf } from '../placement.ts';
import type { Lane, QueuedWork } from '../queue/task-queue.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';

/** What decides where a task waits. */
export type QueuedTask = Pick<
  TaskHead,
  | 'priority'
  | 'owner_id'
  | 'assigned_agent'
  | 'labels'
  | 'may_command'
  | 'agent_rule'
  | 'best_of'
  | 'interactive'
  | 'suspect'
  | 'needs'
  | 'home'
>;

/** For questions that are only about the slots of a task, which any daemon may have. */
export const anywhere = { needs: null, home: null };

/** What the queue has to know of a task. */
export function queuedWorkOf(task: QueuedTask, registry: Pick<AgentRegistry, 'choose'>): QueuedWork {
  const choice = registry.choose(task);
  const agent = 'adapter' in choice ? choice.adapter.type : (choice.agent ?? task.assigned_agent ?? '');
  return { priority: task.priority, owner: task.owner_id, agent, needs: needsOf(task), lane: laneOf(task) };
}

const laneOf = ({ interactive, suspect }: QueuedTask): Lane =>
  suspect > 0 ? 'suspect' : interactive === 1 ? 'interactive' : 'task';
