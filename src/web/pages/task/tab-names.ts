import type { Task } from '../../../contract/task.ts';
import { isCommand } from './task-states.ts';

const tabNames = ['timeline', 'output', 'changes', 'checks', 'trace', 'candidates'] as const;
export type TabName = (typeof tabNames)[number];

/** The tab of an address; the one that says most about the task if it names none. */
export const tabOf = (name: string | undefined, task: Task): TabName =>
  tabNames.find((each) => each === name) ??
  (task.bestOf ? 'candidates' : isCommand(task) ? 'output' : 'timeline');
