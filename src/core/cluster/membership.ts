import type { Kysely } from 'kysely';
import type { Log } from '../log.ts';
import { messageOf } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { DaemonRow } from '../storage/rows/daemons.ts';
import { requireNotMoved } from '../storage/moved-mark.ts';
import type { Schema } from '../storage/schema.ts';

const EVERY_MS = 5000;
/** A daemon that has not said anything for so long is not counted any more. */
export const SILENT_MS = 30_000;
/** After this time it is forgotten. */
const FORGOTTEN_MS = 24 * 3_600_000;

export interface MembershipDeps {
  database: Database;
  /** What the row of this daemon says of it. */
  self: Omit<DaemonRow, 'started_at' | 'seen_at'>;
  runtime: Pick<Runtime, 'now'>;
  log: Log;
}

/** The row by which the other daemons of a cluster know this one, renewed as long as it runs. */
export class Membership {
  readonly #deps: MembershipDeps;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  /** Until the others were counted there may be some. */
  #hasOtherWorkers = true;
  constructor(deps: MembershipDeps) {
    this.#deps = deps;
  }

  /** Whether another daemon that runs tasks was there a moment ago. */
  hasOtherWorkers(): boolean {
    return this.#hasOtherWorkers;
  }

  async join(): Promise<void> {
    const { database, self } = this.#deps;
    const now = this.#now();
    const row: DaemonRow = { ...self, started_at: now, seen_at: now };
    await database.write(async ({ db }) => {
      await db
        .insertInto('daemons')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
      // A copy of the database keeps others from joining until it is done.
      await requireNotMoved(db);
    });
    await this.#countOthers();
    this.#timer = setInterval(() => void (this.#renewing = this.#renew()), EVERY_MS).unref();
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    if (this.#timer === undefined) return;
    const { database, self, log } = this.#deps;
    await database
      .write(({ db }) => db.deleteFrom('daemons').where('id', '=', self.id).execute())
      .catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'the other daemons could not be told that this one stops'),
      );
  }

  /** The daemons of the cluster that run, by host and id. */
  list(db: Kysely<Schema> = this.#deps.database.read): Promise<DaemonRow[]> {
    const since = new Date(this.#deps.runtime.now().getTime() - SILENT_MS).toISOString();
    return db
      .selectFrom('daemons')
      .selectAll()
      .where('seen_at', '>=', since)
      .orderBy('host')
      .orderBy('id')
      .execute();
  }

  /**
   * The ids of daemons that are not known to be gone. Where the database was away a short time ago, those that were silent
   * meanwhile are among them: they could not say that they run.
   */
  async present(): Promise<Set<string>> {
    const { database } = this.#deps;
    if (database.contactMs() >= SILENT_MS) return new Set((await this.list()).map(({ id }) => id));
    const rows = await database.read.selectFrom('daemons').select('id').execute();
    return new Set(rows.map(({ id }) => id));
  }

  async #renew(): Promise<void> {
    const { database, self, log, runtime } = this.#deps;
    const seen_at = this.#now();
    const forgotten = new Date(runtime.now().getTime() - FORGOTTEN_MS).toISOString();
    try {
      await database.write(async ({ db }) => {
        await db.updateTable('daemons').set({ seen_at }).where('id', '=', self.id).execute();
        await db.deleteFrom('daemons').where('seen_at', '<', forgotten).execute();
      });
      await this.#countOthers();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the other daemons could not be told that this one runs');
    }
  }

  async #countOthers(): Promise<void> {
    const daemons = await this.list();
    this.#hasOtherWorkers = daemons.some(({ id, role }) => id !== this.#deps.self.id && role !== 'api');
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }
}
