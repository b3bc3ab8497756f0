import { followTask as follow, type FollowTaskOptions } from '../../../contract/follow-task.ts';
import type { Task } from '../../../contract/task.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Connection, Unreachable } from '../../connection/connection.ts';
import { isTransient } from '../../connection/is-transient.ts';

/** Follows a task as `followTask` of the contract does; a daemon that stays away is `Unreachable`. */
export async function followTask(
  { client, target }: Connection,
  id: string,
  options: Omit<FollowTaskOptions, 'isTransient'>,
): Promise<{ task: Task }> {
  try {
    return await follow(client, id, { ...options, isTransient });
  } catch (error) {
    if (options.signal?.aborted || !isTransient(error) || error instanceof CliError) throw error;
    throw new Unreachable(target, error);
  }
}
