import type { Kysely } from 'kysely';
import { z } from 'zod';
import { bestOfAgent } from '../../contract/best-of.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { PendingEntry } from '../audit/pending-entry.ts';
import { messageOf } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import { type Ability, labelsOfDaemon } from '../placement.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { SILENT_SECONDS } from '../storage/postgres/live-daemons.ts';
import type { DaemonRow } from '../storage/rows/daemons.ts';
import { requireNotMoved } from '../storage/moved-mark.ts';
import type { Schema } from '../storage/schema.ts';

const EVERY_MS = 5000;
const SILENT_MS = SILENT_SECONDS * 1000;
/** After this time it is forgotten. */
const FORGOTTEN_MS = 24 * 3_600_000;

/** What an administrator ordered: to take no more tasks, and perhaps to stop then. */
const drainOrderSchema = z.object({
  stop: z.boolean(),
  /** When runs that are still under way are stopped. */
  until: z.string().optional(),
  /** Whether the daemon has stored that nothing of it runs any more. */
  done: z.boolean().optional(),
});
export type DrainOrder = z.output<typeof drainOrderSchema>;

/** What a daemon can do, as its row says it. */
export interface Abilities {
  agents: string[];
  slots: number;
  /** The slots of each pool. */
  pools: Record<string, number>;
}

export interface MembershipDeps {
  database: Database;
  bus: EventBus;
  /** What the row of this daemon says of it. */
  self: Pick<DaemonRow, 'id' | 'host' | 'version' | 'role' | 'labels' | 'started_at'> & { name: string };
  runtime: Pick<Runtime, 'now' | 'monotonic'>;
  log: Log;
}

/** Another daemon that runs tasks. */
export interface KnownDaemon extends Ability {
  id: string;
  host: string;
  labels: ReadonlySet<string>;
  agents: ReadonlySet<string>;
}

/** The row by which the other daemons of a cluster know this one, renewed as long as it runs. */
export class Membership {
  readonly #deps: MembershipDeps;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  /** Until the others were counted there may be some. */
  #hasOtherWorkers = true;
  #others: readonly KnownDaemon[] = [];
  /** When this daemon last saw one of a host that runs tasks, by its monotonic clock. */
  readonly #seenHosts = new Map<string, number>();
  #joinedAt = Number.POSITIVE_INFINITY;
  #abilities: () => Abilities = () => ({ agents: [], slots: 0, pools: {} });
  #order: string | null = null;
  readonly #onOrder = new Set<(order: DrainOrder | undefined) => void>();
  readonly #onOthers = new Set<() => void>();

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
  }

  /** The name of this daemon in the cluster. */
  get name(): string {
    return this.#deps.self.name;
  }

  /** Whether another daemon that runs tasks was there a moment ago. */
  hasOtherWorkers(): boolean {
    return this.#hasOtherWorkers;
  }

  /** What the other daemons that run tasks had a moment ago. */
  get others(): readonly KnownDaemon[] {
    return this.#others;
  }

  /** The agents of this daemon that are ready to run tasks. */
  get ownAgents(): readonly string[] {
    return this.#abilities().agents;
  }

  /**
   * Whether no daemon of the host has run tasks for so long, as far as this daemon knows: where it has only just come, or
   * the database was away meanwhile, it does not.
   */
  isGone(host: string, ms: number): boolean {
    const { database, runtime, self } = this.#deps;
    if (host === self.host || database.contactMs() < ms) return false;
    return runtime.monotonic() - (this.#seenHosts.get(host) ?? this.#joinedAt) >= ms;
  }

  /** Takes from now on what the row says of this daemon from the function. */
  describe(abilities: () => Abilities): void {
    this.#abilities = abilities;
  }

  /** Calls back when an administrator drains this daemon, with undefined when it is to take tasks again. */
  onOrder(listener: (order: DrainOrder | undefined) => void): void {
    this.#onOrder.add(listener);
  }

  /** Calls back when the agents or the labels of the other daemons have changed. */
  onOthers(listener: () => void): void {
    this.#onOthers.add(listener);
  }

  async join(): Promise<void> {
    const { bus } = this.#deps;
    await this.#insert();
    this.#joinedAt = this.#deps.runtime.monotonic();
    await this.#look();
    await this.#warnOfNamesake();
    this.#timer = setInterval(() => void this.renew(), EVERY_MS).unref();
    bus.on('daemons_changed', () => void this.#lookAgain());
    bus.onGap(() => void this.#lookAgain());
    bus.onLocal('agents_changed', () => void this.renew());
    bus.emit('daemons_changed', undefined);
  }

  async leave(): Promise<void> {
    const { database, self, log, bus } = this.#deps;
    const timer = this.#timer;
    clearInterval(timer);
    this.#timer = undefined;
    await this.#renewing;
    if (timer === undefined) return;
    await database
      .write(({ db }) => db.deleteFrom('daemons').where('id', '=', self.id).execute())
      .catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'the row of this daemon could not be removed; it expires'),
      );
    bus.emit('daemons_changed', undefined);
  }

  /** Says now that this daemon runs, and what it can do; never rejects. */
  renew(): Promise<void> {
    return (this.#renewing = this.#renewing.then(() => this.#renew()));
  }

  /** The daemons of the cluster by host and name; those that are silent only if asked for. */
  list(
    db: Kysely<Schema> = this.#deps.database.read,
    { includesSilent = false }: { includesSilent?: boolean } = {},
  ): Promise<DaemonRow[]> {
    let query = db.selectFrom('daemons').selectAll().orderBy('host').orderBy('name').orderBy('id');
    if (!includesSilent) query = query.where('seen_at', '>=', this.silentBefore());
    return query.execute();
  }

  /** A daemon that was seen the last time before it is silent. */
  silentBefore(): string {
    return new Date(this.#deps.runtime.now().getTime() - SILENT_MS).toISOString();
  }

  /** Orders a daemon to drain, or with undefined to take tasks again; answers false where there is none with this id. */
  async order(id: string, order: DrainOrder | undefined, auditEntry?: PendingEntry): Promise<boolean> {
    const { database, bus } = this.#deps;
    const drain = order ? JSON.stringify(order) : null;
    const isThere = await database.write(async (transaction) => {
      const row = await transaction.db
        .updateTable('daemons')
        .set({ drain })
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      if (row) await auditEntry?.append(transaction);
      return row !== undefined;
    });
    bus.emit('daemons_changed', undefined);
    return isThere;
  }

  /** Stores that this daemon has done what it was ordered. */
  async markDrained(): Promise<void> {
    const { database, self, bus } = this.#deps;
    const ordered = this.#order;
    if (ordered === null) return;
    const order = drainOrderOf({ drain: ordered });
    const drain = JSON.stringify({ ...order, done: true });
    const isStored = await database.write(async ({ db }) => {
      const { numUpdatedRows } = await db
        .updateTable('daemons')
        .set({ drain })
        .where('id', '=', self.id)
        .where('drain', '=', ordered)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
    if (isStored && this.#order === ordered) this.#order = drain;
    bus.emit('daemons_changed', undefined);
  }

  /** Commands and metrics name daemons. */
  async #warnOfNamesake(): Promise<void> {
    const { self, log } = this.#deps;
    const isTaken = (await this.list()).some(
      ({ id, name, host }) => id !== self.id && (name ?? host) === self.name,
    );
    if (isTaken)
      log.warn(
        { name: self.name },
        'another daemon of the cluster has this name; give each one of its own: SVC_DAEMON_NAME',
      );
  }

  async #insert(): Promise<void> {
    const { database, self } = this.#deps;
    const row: DaemonRow = { ...self, ...this.#described(), drain: null, seen_at: this.#now() };
    await database.write(async ({ db }) => {
      await db
        .insertInto('daemons')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
      // A copy of the database keeps others from joining until it is done.
      await requireNotMoved(db);
    });
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
    const { database, self, log, runtime, bus } = this.#deps;
    const row = { ...this.#described(), seen_at: this.#now() };
    const forgotten = new Date(runtime.now().getTime() - FORGOTTEN_MS).toISOString();
    try {
      const before = await database.write(async ({ db }) => {
        const own = await db
          .selectFrom('daemons')
          .select('agents')
          .where('id', '=', self.id)
          .executeTakeFirst();
        await db.updateTable('daemons').set(row).where('id', '=', self.id).execute();
        await db.deleteFrom('daemons').where('seen_at', '<', forgotten).execute();
        return own;
      });
      // Another daemon has forgotten this one, whose machine slept for days.
      if (!before) await this.#insert();
      if (before?.agents !== row.agents) bus.emit('daemons_changed', undefined);
      await this.#look();
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        'the row of this daemon could not be renewed; it is tried again',
      );
    }
  }

  /** Never rejects, because the next renewal looks as well. */
  async #lookAgain(): Promise<void> {
    await this.#look().catch((error: unknown) =>
      this.#deps.log.warn({ reason: messageOf(error) }, 'the other daemons could not be looked at'),
    );
  }

  /** Reads what the rows say of the others, and what this daemon was ordered to do. */
  async #look(): Promise<void> {
    const daemons = await this.list();
    const own = daemons.find(({ id }) => id === this.#deps.self.id);
    const workers = daemons.filter((daemon) => daemon !== own && daemon.role !== 'api');
    this.#hasOtherWorkers = workers.some(({ drain }) => drain === null);
    for (const { host } of workers) this.#seenHosts.set(host, this.#deps.runtime.monotonic());
    const others = workers.map(knownDaemon);
    const haveChanged = describeAll(others) !== describeAll(this.#others);
    this.#others = others;
    if (haveChanged) for (const listener of this.#onOthers) listener();
    if (!own || own.drain === this.#order) return;
    this.#order = own.drain;
    for (const listener of this.#onOrder) listener(drainOrderOf(own));
  }

  #described(): Pick<DaemonRow, 'agents' | 'slots' | 'pools'> {
    const { agents, slots, pools } = this.#abilities();
    return { agents: JSON.stringify(agents.toSorted()), slots, pools: JSON.stringify(pools) };
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }
}

function knownDaemon(row: DaemonRow): KnownDaemon {
  const { id, host } = row;
  const labels = new Set(labelsOfDaemon({ id, host, labels: JSON.parse(row.labels) as string[] }));
  const agents = new Set(JSON.parse(row.agents) as string[]);
  return {
    id,
    host,
    labels,
    agents,
    hasLabel: (label) => labels.has(label),
    hasAgent: (type) => type === bestOfAgent || agents.has(type),
  };
}

const describeAll = (daemons: readonly KnownDaemon[]) =>
  JSON.stringify(daemons.map(({ labels, agents }) => [[...labels], [...agents]]));

/** What a daemon was ordered to do; undefined where it takes tasks. */
export function drainOrderOf({ drain }: Pick<DaemonRow, 'drain'>): DrainOrder | undefined {
  if (drain === null) return undefined;
  // A newer daemon may write more than this one understands: it drains all the same.
  return safeParse(drainOrderSchema, JSON.parse(drain)).data ?? { stop: false };
}
