import type { CoreEvents, EventBus } from '../events.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';

/** Carries hints between the daemons of a cluster; a single daemon has none. */
export interface EventRelay {
  /** Sends an event to the other daemons, which may lose it. */
  publish<K extends keyof CoreEvents>(name: K, payload: CoreEvents[K]): void;
  /** Calls back when events of others may have been missed; answers the function that ends it. */
  onGap(listener: () => void): () => void;
}

type Reduce<K extends keyof CoreEvents> = (payload: CoreEvents[K]) => CoreEvents[K] | undefined;

/** Whether an event goes to other daemons, and what of it: a secret never does. */
const relayed: { [K in keyof CoreEvents]: boolean | Reduce<K> } = {
  // Streams and waits of clients that are connected elsewhere, and candidates that run elsewhere.
  task: true,
  // Another daemon may have to stop the run. Whatever else needs it acts on it, which is for the daemon that moved the task.
  task_moved: ({ before, task }) =>
    task.status === 'cancelled' && before.status === 'in_progress' ? { before, task } : undefined,
  // Too many and too large for everybody: who watches reads the file.
  task_output: false,
  // Twice a second of a run at most.
  run_progress: ({ task: { id, owner_id }, progress }) => ({ task: { id, owner_id }, progress }),
  memory_progress: false,
  memory_changed: true,
  memory_sync_wanted: true,
  queue: true,
  agents_changed: true,
  daemons_changed: true,
  // The address is known everywhere then, so that the next sign-in from it is not slowed down.
  session_started: true,
  settings_changed: true,
  users_changed: true,
  // Streams end on every daemon, whichever of them ends the session; what travels is a hash.
  session_ended: true,
  token_ended: true,
  rights_changed: true,
  devices_changed: true,
  // Its turn may run elsewhere.
  conversation_removed: true,
  turn_began: true,
  turn_ended: true,
  turn_stopped: true,
  approval: ({ row, approval }) => ({ row: withoutCall(row), approval }),
  notification: true,
  // Who stores a delivery need not be the one who sends it.
  delivery_waiting: true,
  webhook_changed: true,
  browsers_changed: true,
  pause_changed: true,
  policy_changed: true,
  capacity_changed: true,
  // What travels is that it changed, not what it is.
  access_key_changed: true,
  // The call may wait elsewhere; what names it is a hash.
  mcp_cancelled: true,
  mcp_answered: true,
};

/** The arguments of a call may contain secrets, which the approval that is shown masks. */
const withoutCall = (row: ApprovalRow): ApprovalRow => ({
  ...row,
  arguments: '{}',
  reason: '',
  scripts: null,
  covers: null,
  diff: null,
  basis: null,
  edited: null,
  context: null,
});

const names = Object.keys(relayed) as (keyof CoreEvents)[];

export const isRelayed = (name: string): name is keyof CoreEvents =>
  names.some((each) => each === name && relayed[each] !== false);

/** Sends what happens on this daemon to the others, and says where theirs was missed. */
export function connectRelay(bus: EventBus, relay: EventRelay): () => void {
  const subscriptions = names.filter(isRelayed).map((name) => send(bus, relay, name));
  subscriptions.push(relay.onGap(() => bus.missed()));
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  };
}

function send<K extends keyof CoreEvents>(bus: EventBus, relay: EventRelay, name: K): () => void {
  const how: boolean | Reduce<K> = relayed[name];
  if (typeof how !== 'function') return bus.onLocal(name, (payload) => relay.publish(name, payload));
  return bus.onLocal(name, (payload) => {
    const reduced = how(payload);
    if (reduced !== undefined) relay.publish(name, reduced);
  });
}
