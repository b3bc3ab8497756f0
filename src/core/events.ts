import type { TaskHead } from './storage/rows/tasks.ts';
import type { RunProgress } from '../contract/run-progress.ts';
import type { SyncProgress } from '../contract/memory.ts';
import type { Notification } from '../contract/notifications.ts';
import type { TaskEvent } from '../contract/task.ts';
import type { OutputPiece } from '../contract/task-output.ts';
import type { Approval } from '../contract/approvals.ts';
import type { Delivery } from './delivery.ts';
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
  /** Who serves in the cluster, what they can do, or what they were ordered. */
  daemons_changed: undefined;
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
  /** A turn of a conversation is over, so that the next one may begin. */
  turn_ended: { conversationId: string };
  /** A turn of a conversation has its first event. */
  turn_began: { conversationId: string; runId: string };
  /** The turn of a conversation that another daemon runs is to be stopped. */
  turn_stopped: { conversationId: string };
  /** An approval was asked for, decided, or has expired. */
  approval: { row: ApprovalRow; approval: Approval };
  /** Progress of a memory sync. */
  memory_progress: SyncProgress;
  /** Files, vectors or experiences of the memory were added, changed or removed. */
  memory_changed: undefined;
  /** A person wants a folder of the memory synced by the daemon that has its files. */
  memory_sync_wanted: { root: string };
  /** Deliveries wait in a lane that belongs to the daemon `owner`; without a delivery its rows have to be read. */
  delivery_waiting: { kind: string; owner: string; lane: string; delivery?: Delivery };
  /** A webhook was added, changed or removed. */
  webhook_changed: { id: string };
  /** The browsers that get notifications. */
  browsers_changed: undefined;
  /** The queue was paused or resumed. */
  pause_changed: undefined;
  /** The tool policy, or which guards are on. */
  policy_changed: undefined;
  /** How many slots of a pool of a daemon are free for new work; 0 where work waits for them. */
  capacity_changed: { daemonId: string; pool: string; free: number };
  /** The access key of local mode. */
  access_key_changed: undefined;
  /** A client of the Model Context Protocol no longer waits for a request, which `key` names. */
  mcp_cancelled: { key: string };
  /** The person at such a client has answered a question, which `key` names; what they decided is stored. */
  mcp_answered: { key: string };
  notification: { userId: string; notification: Notification };
}

type Listener<T> = (payload: T) => void;

type Listeners = { [K in keyof CoreEvents]?: Set<Listener<CoreEvents[K]>> };

/**
 * A typed bus; listeners run at once, in the order in which they came. In a cluster it also carries hints of what happened
 * on other daemons: no listener works because of one without claiming a row, and one may be lost.
 */
export class EventBus {
  readonly #listeners: Listeners = {};
  /** Those that hear of other daemons too. */
  readonly #wide: Listeners = {};
  readonly #onGap = new Set<() => void>();
  readonly #onDoubt = new Set<() => void>();

  /** Hears of this daemon and of others; answers the function that ends the subscription. */
  on<K extends keyof CoreEvents>(name: K, listener: Listener<CoreEvents[K]>): () => void {
    const unsubscribe = add(this.#listeners, name, listener);
    const leave = add(this.#wide, name, listener);
    return () => {
      unsubscribe();
      leave();
    };
  }

  /** Hears only of what happened on this daemon: for what must be done once, where it was caused. */
  onLocal<K extends keyof CoreEvents>(name: K, listener: Listener<CoreEvents[K]>): () => void {
    return add(this.#listeners, name, listener);
  }

  /** Hears only of what happened on other daemons. */
  onRemote<K extends keyof CoreEvents>(name: K, listener: Listener<CoreEvents[K]>): () => void {
    return add(this.#wide, name, listener);
  }

  emit<K extends keyof CoreEvents>(name: K, payload: CoreEvents[K]): void {
    for (const listener of this.#listeners[name] ?? []) listener(payload);
  }

  /** Passes on what happened on another daemon. */
  receive<K extends keyof CoreEvents>(name: K, payload: CoreEvents[K]): void {
    for (const listener of this.#wide[name] ?? []) listener(payload);
  }

  has(name: keyof CoreEvents): boolean {
    return (this.#listeners[name]?.size ?? 0) > 0;
  }

  /** Calls back when events of other daemons may have been missed: what was derived from them has to be read again. */
  onGap(listener: () => void): () => void {
    this.#onGap.add(listener);
    return () => void this.#onGap.delete(listener);
  }

  /**
   * Calls back after a gap, and every few seconds in a cluster: for what waits for one event, which it then has to look for
   * where it is stored.
   */
  onDoubt(listener: () => void): () => void {
    this.#onDoubt.add(listener);
    return () => void this.#onDoubt.delete(listener);
  }

  /** To be called where events of other daemons may have been missed. */
  missed(): void {
    for (const listener of this.#onGap) listener();
    this.doubt();
  }

  /** To be called every few seconds where there are other daemons. */
  doubt(): void {
    for (const listener of this.#onDoubt) listener();
  }
}

function add<K extends keyof CoreEvents>(
  to: Listeners,
  name: K,
  listener: Listener<CoreEvents[K]>,
): () => void {
  const listeners = (to[name] ??= new Set<never>() as never) as Set<Listener<CoreEvents[K]>>;
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
