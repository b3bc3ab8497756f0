import { ApiError, type Client } from '../client.ts';
import { delay } from '../delay.ts';
import { followTask as follow, type FollowTaskOptions } from '../follow-task.ts';
import type { RouteInput } from '../route.ts';
import type { Task, TaskEvent } from '../task.ts';
import type { tasksRoutes } from '../tasks.ts';
import { ConnectionError } from './fetch-transport.ts';

export interface FollowOptions extends Omit<FollowTaskOptions, 'isTransient'> {}
export interface RunTaskOptions {
  /** Creates one task per key, also when it is called again; a random one unless set. */
  idempotencyKey?: string;
  /** Called once, when the task is stored. */
  onCreated?: (task: Task) => void;
  /** Called with every event, once and in order. */
  onEvent?: (event: TaskEvent) => void;
  /** Called each time the server does not respond and will be asked again. */
  onAway?: () => void;
  /** Aborting cancels the task. */
  signal?: AbortSignal;
}
type NewTask = RouteInput<(typeof tasksRoutes)['create']>['body'];

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5000;
const GIVE_UP_MS = 30_000;
/** Within this, the server has stored a task or says why not. */
const ANSWER_MS = 60_000;

/**
 * Creates a task and resolves with it once it has completed, failed or was cancelled. Requests that got no answer are sent again
 * for 30 s, and create no second task. Rejects with an ApiError or a ConnectionError.
 */
export async function runTask(
  client: Client,
  task: NewTask,
  { idempotencyKey = randomKey(), onCreated, onEvent, onAway, signal }: RunTaskOptions = {},
): Promise<Task> {
  const input = { body: { attached: true, ...task }, headers: { 'idempotency-key': idempotencyKey } };
  const create = () => client.tasks.create(input, { silenceMs: ANSWER_MS });
  const created = (await again(create, { onAway, signal })).task;
  const cancel = async () => {
    try {
      await client.tasks.cancel({ params: { id: created.id } });
    } catch (error) {
      // It finished first.
      if (!(error instanceof ApiError && error.status === 400)) throw error;
    }
  };
  try {
    signal?.throwIfAborted();
    onCreated?.(created);
    return await followTask(client, created.id, {
      ...(onEvent && { onEvent }),
      ...(onAway && { onAway }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) await cancel();
    throw error;
  }
}

/**
 * Follows a task until it has completed, failed or was cancelled, and resolves with it. Connects again where the connection
 * breaks; rejects when the server does not respond for 30 s.
 */
export async function followTask(client: Client, id: string, options: FollowOptions = {}): Promise<Task> {
  return (await follow(client, id, { ...options, isTransient })).task;
}

/** Whether the same request may succeed later: no answer, a limit, or a server that restarts. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.mayPass && [429, 502, 503, 504].includes(error.status);
  return error instanceof ConnectionError;
}

async function again<T>(
  once: () => Promise<T>,
  { onAway, signal }: { onAway: (() => void) | undefined; signal: AbortSignal | undefined },
): Promise<T> {
  const startedAt = performance.now();
  for (let waitMs = FIRST_DELAY_MS; ; waitMs = Math.min(waitMs * 2, MAX_DELAY_MS)) {
    signal?.throwIfAborted();
    try {
      return await once();
    } catch (error) {
      const wanted = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
      const pause = Math.max(waitMs, wanted);
      if (!isTransient(error) || performance.now() - startedAt + pause > GIVE_UP_MS) throw error;
      onAway?.();
      await delay(pause, signal);
    }
  }
}

/** `crypto.randomUUID` exists on https and on localhost only. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
