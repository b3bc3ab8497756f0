import type { EventBus } from '../events.ts';
import { addressKey } from '../limits/rate-limits.ts';
import type { Database } from '../storage/database.ts';

const MAX_KNOWN = 10_000;

/** Addresses from which users have signed in; an IPv6 network is one address. */
export class KnownClients {
  /** The users of each address, the address that signed in last at the end. */
  readonly #usersOf = new Map<string, Set<string>>();

  private constructor(bus: EventBus) {
    bus.on('session_started', ({ userId, address }) => this.#remember(address, userId));
  }

  /** Begins with the sessions that are stored. */
  static async load({ database, bus }: { database: Database; bus: EventBus }): Promise<KnownClients> {
    const known = new KnownClients(bus);
    const rows = await database.read
      .selectFrom('sessions')
      .select(['address', 'owner_id'])
      .where('address', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(MAX_KNOWN)
      .execute();
    for (const { address, owner_id } of rows.reverse())
      if (address !== null) known.#remember(address, owner_id);
    return known;
  }

  /** Whether a user, or this user, has signed in from the address. */
  isKnown(address: string, userId?: string): boolean {
    const users = this.#usersOf.get(addressKey(address));
    return users !== undefined && (userId === undefined || users.has(userId));
  }

  #remember(address: string, userId: string): void {
    const key = addressKey(address);
    const users = this.#usersOf.get(key) ?? new Set();
    users.add(userId);
    this.#usersOf.delete(key);
    this.#usersOf.set(key, users);
    if (this.#usersOf.size <= MAX_KNOWN) return;
    for (const [oldest] of this.#usersOf) {
      this.#usersOf.delete(oldest);
      break;
    }
  }
}
