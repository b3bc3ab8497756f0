import { setTimeout as delay } from 'node:timers/promises';
import type { Task, TaskEvent } from '../../../contract/task.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Connection, Unreachable } from '../../connection/connection.ts';
import { isTransient } from '../../connection/is-transient.ts';
import { hasEnded } from './task-outcome.ts';

const AGAIN_MS = 250;
const GIVE_UP_MS = 30_000;
/** Failures that are further apart than this are separate outages. */
const APART_MS = 5000;

export interface FollowOptions {
  onEvent: (event: TaskEvent) => void;
  /** Called when the daemon stops responding. */
  onAway?: () => void;
  /** Skips events up to this sequence number. */
  after?: number;
  signal?: AbortSignal;
}

/** Emits every event of a task until it has finished, across restarts of the daemon; resolves with the finished task. */
export async function followTask(
  { client, target }: Connection,
  id: string,
  { onEvent, onAway, after = 0, signal }: FollowOptions,
): Promise<{ task: Task }> {
  const options = signal ? { signal } : {};
  let last = after;
  let awaySince = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      const headers = last > 0 ? { headers: { 'last-event-id': String(last) } } : {};
      for await (const { data } of client.tasks.listEventsStream({ params: { id }, ...headers }, options)) {
        last = data.seq;
        onEvent(data);
      }
      const answer = await client.tasks.get({ params: { id } }, options);
      if (hasEnded(answer.task)) return answer;
    } catch (error) {
      if (signal?.aborted || !isTransient(error)) throw error;
      const now = performance.now();
      if (now - failedAt > APART_MS) awaySince = now;
      failedAt = now;
      if (now - awaySince > GIVE_UP_MS)
        throw error instanceof CliError ? error : new Unreachable(target, error);
      onAway?.();
    }
    await delay(AGAIN_MS, undefined, options);
  }
}
