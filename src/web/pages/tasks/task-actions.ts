import type { ListedTask, TaskStatus } from '../../../contract/task.ts';
import { client } from '../../client.ts';

const finished: readonly TaskStatus[] = ['completed', 'failed', 'cancelled'];
export const isFinished = ({ status = 'pending' }: ListedTask): boolean => finished.includes(status);

export type TaskActionName = 'cancel' | 'retry';

export interface TaskAction {
  verb: string;
  /** What has happened, after a number or a name. */
  done: string;
  /** What it means, before it is confirmed. */
  meaning: string;
  applies: (task: ListedTask) => boolean;
  run: (id: string) => Promise<{ task: ListedTask }>;
}

/** What can be done with tasks, one or many. None of it is shown as done before the daemon has said so. */
export const taskActions: Record<TaskActionName, TaskAction> = {
  cancel: {
    verb: 'Cancel',
    done: 'cancelled',
    meaning: 'What is running stops. Files that were changed stay as they are.',
    applies: (task) => !isFinished(task),
    run: (id) => client.tasks.cancel({ params: { id } }),
  },
  retry: {
    verb: 'Retry',
    done: 'retried',
    meaning: 'Each is created again as a new task with the same parameters. The old ones stay.',
    applies: isFinished,
    run: (id) => client.tasks.retry({ params: { id } }),
  },
};
