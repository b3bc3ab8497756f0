import { NewestRead } from '../async/newest-read.ts';
import { AppError } from '../errors.ts';
import type { PushKind } from '../../contract/push.ts';
import type { EventBus } from '../events.ts';
import type { Runtime } from '../runtime.ts';
import type { PushStore } from './push-store.ts';

interface Subscriber {
  id: string;
  kinds: ReadonlySet<PushKind>;
}

export interface PushRegistryDeps {
  store: Pick<PushStore, 'active'>;
  bus: EventBus;
  runtime: Pick<Runtime, 'now'>;
  /** Reports an unexpected error that no caller receives. */
  reportBug: (error: unknown) => void;
}

/** In-memory index of the browsers of each user, because every change of a task reads it. */
export class PushRegistry {
  readonly #deps: PushRegistryDeps;
  #byOwner: ReadonlyMap<string, readonly Subscriber[]> = new Map();
  readonly #reads = new NewestRead();

  private constructor(deps: PushRegistryDeps) {
    this.#deps = deps;
  }

  /** Loads the browsers, and reloads them whenever rights change. */
  static async load(deps: PushRegistryDeps): Promise<PushRegistry> {
    const registry = new PushRegistry(deps);
    await registry.reload();
    const again = () =>
      void registry.reload().catch((error: unknown) => {
        // While the database is away; the other daemons are heard again soon.
        if (!(error instanceof AppError)) deps.reportBug(error);
      });
    deps.bus.on('rights_changed', again);
    // On this daemon, the change itself waits for the reload.
    deps.bus.onRemote('browsers_changed', again);
    deps.bus.onGap(again);
    return registry;
  }

  /** The IDs of the browsers of a user that want to hear of this. */
  of(ownerId: string, kind: PushKind): readonly string[] {
    const own = this.#byOwner.get(ownerId) ?? [];
    return own.filter(({ kinds }) => kinds.has(kind)).map(({ id }) => id);
  }

  /** Whether a user has any browser. */
  has(ownerId: string): boolean {
    return this.#byOwner.has(ownerId);
  }

  /** Call it after each change of a subscription that is committed. */
  async changed(): Promise<void> {
    await this.reload();
    this.#deps.bus.emit('browsers_changed', undefined);
  }

  /** Reloads what is committed. */
  async reload(): Promise<void> {
    const { store, runtime } = this.#deps;
    const rows = await this.#reads.newest(() => store.active(runtime.now().toISOString()));
    if (!rows) return;
    const byOwner = Map.groupBy(rows, ({ owner_id }) => owner_id);
    this.#byOwner = new Map(
      [...byOwner].map(([owner, theirs]) => [
        owner,
        theirs.map(({ id, kinds }) => ({ id, kinds: new Set(JSON.parse(kinds) as PushKind[]) })),
      ]),
    );
  }
}
