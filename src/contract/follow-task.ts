import type { Client } from './client.ts';
import { delay } from './delay.ts';
import { hasEnded } from './has-ended.ts';
import type { Task, TaskEvent } from './task.ts';

const AGAIN_MS = 250;
const GIVE_UP_MS = 30_000;
/** Failures that are further apart than this are separate outages. */
const APART_MS = 5000;

export interface FollowTaskOptions {
  onEvent?: (event: TaskEvent) => void;
  /** Called when the daemon stops responding. */
  onAway?: () => void;
  /** Skips events up to this sequence number. */
  after?: number;
  signal?: AbortSignal;
  /** Whether the daemon may respond again after this error. */
  isTransient: (error: unknown) => boolean;
}

/**
 * Emits every event of a task once and in order until it has finished, across restarts of the daemon; resolves with the finished
 * task. Rejects with the last error when the daemon does not respond for 30 s.
 */
export async function followTask(
  client: Pick<Client, 'tasks'>,
  id: string,
  { onEvent, onAway, after = 0, signal, isTransient }: FollowTaskOptions,
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
        onEvent?.(data);
      }
      const answer = await client.tasks.get({ params: { id } }, options);
      if (hasEnded(answer.task)) return answer;
    } catch (error) {
      if (signal?.aborted || !isTransient(error)) throw error;
      const now = performance.now();
      if (now - failedAt > APART_MS) awaySince = now;
      failedAt = now;
      if (now - awaySince > GIVE_UP_MS) throw error;
      onAway?.();
    }
    await delay(AGAIN_MS, signal);
  }
}
