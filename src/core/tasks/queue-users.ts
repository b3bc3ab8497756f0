import type { Config } from '../config/config.ts';
import { messageOf } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';

export interface QueueUsersDeps {
  database: Database;
  config: Config;
  bus: EventBus;
  log: Log;
}

/** What the queue has to know of users: whether there are several, and what share each of them gets. */
export class QueueUsers {
  readonly #deps: QueueUsersDeps;
  #areSeveral = false;
  #weights: Record<string, number> | undefined;
  #weightOf = new Map<string, number>();

  constructor(deps: QueueUsersDeps) {
    this.#deps = deps;
    for (const change of ['users_changed', 'rights_changed'] as const)
      deps.bus.on(change, () => void this.refresh());
    deps.bus.onGap(() => void this.refresh());
  }

  get areSeveral(): boolean {
    return this.#areSeveral;
  }

  weightOf(userId: string): number {
    const weights = this.#deps.config.get('queue.userWeights');
    // E-mail addresses are looked up in the background; until then the id alone counts.
    if (weights !== this.#weights) void this.refresh();
    return weights[userId] ?? this.#weightOf.get(userId) ?? 1;
  }

  /** Reads the users again; never rejects, because what was known before still serves. */
  async refresh(): Promise<void> {
    const { database, config, log } = this.#deps;
    const weights = (this.#weights = config.get('queue.userWeights'));
    const emails = Object.keys(weights).filter((key) => key.includes('@'));
    try {
      const users = database.read.selectFrom('users').where('disabled_at', 'is', null);
      this.#areSeveral = (await users.select('id').limit(2).execute()).length > 1;
      const weighted =
        emails.length === 0 ? [] : await users.select(['id', 'email']).where('email', 'in', emails).execute();
      this.#weightOf = new Map(weighted.map(({ id, email }) => [id, weights[email] ?? 1]));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the users of the queue could not be read');
    }
  }
}
