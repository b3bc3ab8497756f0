import type { TaskHead } from './storage/rows/tasks.ts';
import type { RunProgress } from '../contract/run-progress.ts';
import type { SyncProgress } from '../contract/memory.ts';
import type { Notification } from '../contract/notifications.ts';
import type { TaskEvent } from '../contract/task.ts';
import type { OutputPiece } from '../contract/task-output.ts';
import type { Approval } from '../contract/approvals.ts';
import type { ApprovalRow } from './storage/rows/approvals.ts';

type TaskOwner = Pick<TaskHead, 'id' | 'owner_id'>;

/** The events that core publishes after a commit. */
export interface CoreEvents {
  /** A task has a new event; `task` is the task after it. */
  task: { task: TaskHead; event: TaskEvent };
  /** A task has changed its status; `before` is the task before it. */
  task_moved: { before: TaskHead; task: TaskHead };
  /** The run of a task has printed something that no event stores. */
  task_output: { task: TaskOwner; piece: OutputPiece };
  /** The run of a task has got further. */
  run_progress: { task: TaskOwner; progress: RunProgress };
  /** Settings that the daemons of a cluster share. */
  settings_changed: { keys: string[] };
  /** Counts, pause or dead letters changed. */
  queue: undefined;
  /** What decides which agent a task gets has changed. */
  agents_changed: undefined;
  session_started: { userId: string; address: string };
  /** There is another account. */
  users_changed: undefined;
  session_ended: { sessionHash: string };
  token_ended: { tokenId: string };
  /** The role of a user, whether they are let in, or what lets everybody be the owner. */
  rights_changed: { userId: string };
  /** The paired devices of a user, or who asks to become one. */
  devices_changed: { userId: string };
  conversation_removed: { id: string };
  /** An approval was asked for, decided, or has expired. */
  approval: { row: ApprovalRow; approval: Approval };
  /** Progress of a memory sync. */
  memory_progress: SyncProgress;
  notification: { userId: string; notification: Notification };
}

type Listener<T> = (payload: T) => void;

/** A typed in-process bus; listeners run at once, in the order in which they came. */
export class EventBus {
  readonly #listeners: { [K in keyof CoreEvents]?: Set<Listener<CoreEvents[K]>> } = {};

  /** Answers the function that ends the subscription. */
  on<K extends keyof CoreEvents>(name: K, listener: Listener<CoreEvents[K]>): () => void {
    const listeners = (this.#listeners[name] ??= new Set<never>() as never) as Set<Listener<CoreEvents[K]>>;
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  emit<K extends keyof CoreEvents>(name: K, payload: CoreEvents[K]): void {
    for (const listener of this.#listeners[name] ?? []) listener(payload);
  }

  has(name: keyof CoreEvents): boolean {
    return (this.#listeners[name]?.size ?? 0) > 0;
  }
}
