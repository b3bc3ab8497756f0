import { NewestRead } from '../async/newest-read.ts';
import { AppError } from '../errors.ts';
import type { WebhookEvent, WebhookFormat } from '../../contract/webhooks.ts';
import { roleOf } from '../auth/caller.ts';
import type { EventBus } from '../events.ts';
import type { SubscribedRow, WebhookStore } from './webhook-store.ts';

/** A webhook that is subscribed to events. */
export interface Subscriber {
  id: string;
  events: ReadonlySet<WebhookEvent>;
  format: WebhookFormat;
}

export interface WebhookRegistryDeps {
  store: WebhookStore;
  bus: EventBus;
  /** Reports an unexpected error that no caller receives. */
  reportBug: (error: unknown) => void;
}

/** In-memory index of webhooks by the tasks that they may see, because every change of a task reads it. */
export class WebhookRegistry {
  readonly #store: Pick<WebhookStore, 'subscribed'>;
  /** For each user with own webhooks: those and the global ones. */
  #byOwner: ReadonlyMap<string, readonly Subscriber[]> = new Map();
  /** Webhooks that receive the tasks of all users. */
  #global: readonly Subscriber[] = [];
  readonly #reads = new NewestRead();

  constructor(store: Pick<WebhookStore, 'subscribed'>) {
    this.#store = store;
  }

  /** Loads the webhooks, and reloads them whenever rights change. */
  static async load({ store, bus, reportBug }: WebhookRegistryDeps): Promise<WebhookRegistry> {
    const registry = new WebhookRegistry(store);
    await registry.reload();
    const again = () =>
      void registry.reload().catch((error: unknown) => {
        // While the database is away; the other daemons are heard again soon.
        if (!(error instanceof AppError)) reportBug(error);
      });
    bus.on('rights_changed', again);
    // On this daemon, the change itself waits for the reload.
    bus.onRemote('webhook_changed', again);
    bus.onGap(again);
    return registry;
  }

  /** The webhooks that receive this user's tasks. */
  of(ownerId: string): readonly Subscriber[] {
    return this.#byOwner.get(ownerId) ?? this.#global;
  }

  /** Reloads the committed webhooks. Call it after each change of a webhook. */
  async reload(): Promise<void> {
    const rows = await this.#reads.newest(() => this.#store.subscribed());
    if (!rows) return;
    const global = rows.filter(seesAll).map(toSubscriber);
    const own = Map.groupBy(
      rows.filter((row) => !seesAll(row)),
      (row) => row.owner_id,
    );
    this.#global = global;
    this.#byOwner = new Map(
      [...own].map(([ownerId, theirs]) => [ownerId, [...theirs.map(toSubscriber), ...global]]),
    );
  }
}

/** Former administrators receive only their own tasks. */
const seesAll = (row: SubscribedRow): boolean => row.sees_all === 1 && roleOf(row) === 'admin';

const toSubscriber = ({ id, events, format }: SubscribedRow): Subscriber => ({
  id,
  format: format as WebhookFormat,
  events: new Set(JSON.parse(events) as WebhookEvent[]),
});
