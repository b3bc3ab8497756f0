import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { LEASE_MS, LEASED_WORK_MS, type LeaseAnswer, type Leases, type LeaseUse } from '../leases.ts';

const RENEW_EVERY_MS = 5000;
/** Rows of leases that ended so long ago are removed. */
const FORGOTTEN_MS = 24 * 3_600_000;

export interface RowLeasesDeps {
  database: Database;
  daemonId: string;
  /** `now` is the time of the database, which all daemons agree on. */
  runtime: Pick<Runtime, 'now' | 'monotonic'>;
  log: Log;
  /** Calls back after the time, once. */
  setTimer?: (run: () => void, ms: number) => NodeJS.Timeout;
}

interface Held extends LeaseUse {
  fence: number;
  /** Monotonic. */
  until: number;
}

/**
 * Leases as rows, by the clock of the database. All leases of a daemon are renewed by one statement every five seconds, and
 * none while it holds none.
 */
export class RowLeases implements Leases {
  readonly #deps: RowLeasesDeps;
  readonly #held = new Map<string, Held>();
  readonly #taking = new Map<string, Promise<LeaseAnswer>>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: RowLeasesDeps) {
    this.#deps = deps;
  }

  holds(name: string): boolean {
    const held = this.#held.get(name);
    return held !== undefined && this.#deps.runtime.monotonic() + LEASED_WORK_MS < held.until;
  }

  async take(name: string, use: LeaseUse = {}): Promise<LeaseAnswer> {
    const held = this.#held.get(name);
    if (held && this.holds(name)) return { isMine: true, fence: held.fence };
    let taking = this.#taking.get(name);
    if (!taking) {
      taking = this.#take(name, use).finally(() => this.#taking.delete(name));
      this.#taking.set(name, taking);
    }
    return taking;
  }

  async release(name: string): Promise<void> {
    await this.#release(this.#held.has(name) ? [name] : []);
  }

  async takeRound(name: string, ms: number): Promise<boolean> {
    const { runtime } = this.#deps;
    const now = runtime.now().getTime();
    return (await this.#insert(`round ${name}`, now, ms, false)) !== undefined;
  }

  /** Lets others take everything that this daemon holds. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    await this.#release([...this.#held.keys()]).catch((error: unknown) =>
      this.#deps.log.warn({ reason: messageOf(error) }, 'leases could not be released; they expire'),
    );
  }

  async #take(name: string, use: LeaseUse): Promise<LeaseAnswer> {
    const { database, runtime } = this.#deps;
    const sentAt = runtime.monotonic();
    const now = runtime.now().getTime();
    const fence = await this.#insert(name, now, LEASE_MS, true);
    if (fence !== undefined) {
      this.#held.set(name, { ...use, fence, until: sentAt + LEASE_MS });
      this.#plan();
      return { isMine: true, fence };
    }
    const other = await database.read
      .selectFrom('leases')
      .select(['owner', 'expires_at'])
      .where('name', '=', name)
      .executeTakeFirst();
    const leftMs = Date.parse(other?.expires_at ?? '') - runtime.now().getTime();
    return { isMine: false, owner: other?.owner ?? '', leftMs: Math.max(leftMs || 0, 0) };
  }

  /** Resolves to the fence; undefined where the lease has not ended. */
  #insert(name: string, now: number, ms: number, again: boolean): Promise<number | undefined> {
    const { database, daemonId: owner } = this.#deps;
    const expires_at = toTime(now + ms);
    return database.write(
      async ({ db }) => {
        const row = await db
          .insertInto('leases')
          .values({ name, owner, fence: 1, expires_at })
          .onConflict((conflict) =>
            conflict
              .column('name')
              .doUpdateSet((is) => ({ owner, fence: is('leases.fence', '+', 1), expires_at }))
              .where((is) => {
                const hasEnded = is('leases.expires_at', '<=', toTime(now));
                return again ? is.or([hasEnded, is('leases.owner', '=', owner)]) : hasEnded;
              }),
          )
          .returning('fence')
          .executeTakeFirst();
        return row?.fence;
      },
      { independent: true },
    );
  }

  #plan(): void {
    if (this.#timer || this.#isStopped || this.#held.size === 0) return;
    const { setTimer = (run, ms) => setTimeout(run, ms).unref() } = this.#deps;
    this.#timer = setTimer(() => {
      this.#renewing = this.#renew().finally(() => {
        this.#timer = undefined;
        this.#plan();
      });
    }, RENEW_EVERY_MS);
  }

  async #renew(): Promise<void> {
    const { log } = this.#deps;
    try {
      await this.#release([...this.#held].filter(([, { isIdle }]) => isIdle?.()).map(([name]) => name));
      await this.#extend();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'leases could not be renewed; it is tried again');
    }
    const now = this.#deps.runtime.monotonic();
    for (const [name, { until }] of this.#held) if (until <= now) this.#end(name);
  }

  async #extend(): Promise<void> {
    const { database, daemonId, runtime } = this.#deps;
    const before = new Map(this.#held);
    if (before.size === 0) return;
    const sentAt = runtime.monotonic();
    const now = runtime.now().getTime();
    const renewed = await database.write(
      ({ db }) =>
        db
          .updateTable('leases')
          .set({ expires_at: toTime(now + LEASE_MS) })
          .where('name', 'in', [...before.keys()])
          .where('owner', '=', daemonId)
          .where('expires_at', '>', toTime(now))
          .returning('name')
          .execute(),
      { independent: true },
    );
    const names = new Set(renewed.map(({ name }) => name));
    for (const [name, held] of before)
      if (this.#held.get(name) !== held) continue;
      else if (names.has(name)) held.until = sentAt + LEASE_MS;
      else this.#end(name);
  }

  async #release(names: string[]): Promise<void> {
    if (names.length === 0) return;
    // The fence, because this daemon may have taken one again meanwhile.
    const ended = names.map((name) => ({ name, fence: this.#held.get(name)?.fence ?? 0 }));
    for (const name of names) this.#end(name);
    const { database, daemonId, runtime } = this.#deps;
    const now = runtime.now().getTime();
    await database.write(
      ({ db }) =>
        db
          .updateTable('leases')
          .set({ expires_at: toTime(now) })
          .where('owner', '=', daemonId)
          .where((is) =>
            is.or(ended.map(({ name, fence }) => is.and([is('name', '=', name), is('fence', '=', fence)]))),
          )
          .execute(),
      { independent: true },
    );
  }

  #end(name: string): void {
    const held = this.#held.get(name);
    this.#held.delete(name);
    held?.onEnd?.();
  }

  /** Removes rows of leases that ended long ago. */
  async removeOld(): Promise<void> {
    const { database, runtime } = this.#deps;
    const before = toTime(runtime.now().getTime() - FORGOTTEN_MS);
    await database.write(({ db }) => db.deleteFrom('leases').where('expires_at', '<', before).execute(), {
      independent: true,
    });
  }
}

const toTime = (ms: number): string => new Date(ms).toISOString();
