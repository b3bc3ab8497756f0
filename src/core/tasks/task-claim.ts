import type { TaskHead } from '../storage/rows/tasks.ts';
import type { NewEvent } from './new-event.ts';
import type { TaskChange } from './task-columns.ts';
import { leaseEnd } from '../leases.ts';

/** Who claims a task, for which agent, until when. */
export interface Claim {
  agent: string;
  workerId: string;
  leaseUntil: string;
  /** The daemon as JSON, and its host; null where it is not in a cluster. */
  daemon: string | null;
  host: string | null;
}

/** What a claim changes in the row of a task, and the event that it stores. */
export interface TaskClaim {
  change: TaskChange & { attempts: number; fence: number };
  event: NewEvent;
}

/** The claim of a worker: the next attempt, with a fresh fencing token and a lease. */
export function claimOf(
  task: Pick<TaskHead, 'attempts' | 'fence' | 'max_attempts' | 'cwd' | 'home'>,
  { agent, workerId, daemon, host, now }: Omit<Claim, 'leaseUntil'> & { now: Date },
): TaskClaim {
  const attempts = task.attempts + 1;
  return {
    change: {
      attempts,
      fence: task.fence + 1,
      agent_type: agent,
      lease_owner: workerId,
      lease_until: leaseEnd(now),
      started_at: now.toISOString(),
      scheduled_for: null,
      daemon,
      home: task.cwd === null ? task.home : (task.home ?? host),
    },
    event: startedEvent({ attempts, max_attempts: task.max_attempts }, agent),
  };
}

/** The event of an attempt; `attempts` counts it. */
export const startedEvent = (
  { attempts, max_attempts }: Pick<TaskHead, 'attempts' | 'max_attempts'>,
  agent: string,
): NewEvent => ({
  type: 'started',
  message: `Attempt ${attempts} of ${max_attempts} by ${agent}`,
  data: { attempt: attempts, maxAttempts: max_attempts, agent },
});
