import type { Task } from '../../contract/task.ts';
import type { Config } from '../config/config.ts';

/** How long a run may take, and why it is stopped then. */
export interface TimeLimit {
  ms: number;
  reason: 'timeout' | 'max_time';
}

/** The time of a run: what its task allows, and no more than the settings do. */
export function timeLimitOf({ maxTimeMs }: Pick<Task, 'maxTimeMs'>, config: Pick<Config, 'get'>): TimeLimit {
  const ms = config.get('pool.timeoutMs');
  return maxTimeMs !== undefined && maxTimeMs <= ms
    ? { ms: maxTimeMs, reason: 'max_time' }
    : { ms, reason: 'timeout' };
}
