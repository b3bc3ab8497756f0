import type { WebhookEvent } from '../../contract/webhooks.ts';
import { roleOf } from '../auth/caller.ts';
import type { EventBus } from '../events.ts';
import type { SubscribedRow, WebhookStore } from './webhook-store.ts';

/** A webhook that is told of events. */
export interface Subscriber {
  id: string;
  events: ReadonlySet<WebhookEvent>;
}

export interface WebhookRegistryDeps {
  store: WebhookStore;
  bus: EventBus;
  /** Takes a fault that no caller can be told of. */
  reportBug: (error: unknown) => void;
}

/** Who is told of whose tasks, in memory: every change of a task asks. */
export class WebhookRegistry {
  readonly #store: Pick<WebhookStore, 'subscribed'>;
  /** For each user with webhooks of their own, those and everybody's. */
  #byOwner: ReadonlyMap<string, readonly Subscriber[]> = new Map();
  /** Told of everybody's tasks. */
  #everybodys: readonly Subscriber[] = [];
  #asked = 0;
  #applied = 0;

  constructor(store: Pick<WebhookStore, 'subscribed'>) {
    this.#store = store;
  }

  /** Reads who is subscribed, and again whenever somebody's rights change. */
  static async load({ store, bus, reportBug }: WebhookRegistryDeps): Promise<WebhookRegistry> {
    const registry = new WebhookRegistry(store);
    await registry.reload();
    bus.on('rights_changed', () => void registry.reload().catch(reportBug));
    return registry;
  }

  /** Whom the tasks of this user concern. */
  of(ownerId: string): readonly Subscriber[] {
    return this.#byOwner.get(ownerId) ?? this.#everybodys;
  }

  /** Reads anew what is committed; to be called after each change of a webhook. */
  async reload(): Promise<void> {
    const turn = ++this.#asked;
    const rows = await this.#store.subscribed();
    // What was read later is newer, whichever comes first.
    if (turn < this.#applied) return;
    this.#applied = turn;
    const everybodys = rows.filter(seesAll).map(toSubscriber);
    const own = Map.groupBy(
      rows.filter((row) => !seesAll(row)),
      (row) => row.owner_id,
    );
    this.#everybodys = everybodys;
    this.#byOwner = new Map(
      [...own].map(([ownerId, theirs]) => [ownerId, [...theirs.map(toSubscriber), ...everybodys]]),
    );
  }
}

/** Who is no administrator any more is told of their own tasks. */
const seesAll = (row: SubscribedRow): boolean => row.sees_all === 1 && roleOf(row) === 'admin';

const toSubscriber = ({ id, events }: SubscribedRow): Subscriber => ({
  id,
  events: new Set(JSON.parse(events) as WebhookEvent[]),
});
