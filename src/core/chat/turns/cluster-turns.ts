import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { SerialByKey } from '../../async/serial-by-key.ts';
import type { DaemonIdentity } from '../../daemon-identity.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import { LEASE_MARGIN_MS, LEASE_MS, leaseEnd } from '../../leases.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { TurnLoss, Turns } from './turns.ts';

const RENEW_EVERY_MS = 10_000;
/** How soon a daemon notices that its turn is stopped or taken, if nothing tells it. */
const CHECK_EVERY_MS = 1000;
/** How often a daemon that waits looks whether the turn is free, if nothing tells it. */
const LOOK_EVERY_MS = 250;

interface HeldTurn {
  fence: number;
  renewedAt: number;
  isEnded: boolean;
}

export interface ClusterTurnsDeps {
  database: Database;
  daemon: DaemonIdentity;
  bus: EventBus;
  runtime: Runtime;
  log: Log;
}

/**
 * One turn of a conversation at a time in the whole cluster, by a lease in its row. Who had the lease before finds another
 * fence in the row, and stores nothing more.
 */
export class ClusterTurns implements Turns {
  readonly #deps: ClusterTurnsDeps;
  readonly #serial = new SerialByKey();
  readonly #held = new Map<string, HeldTurn>();
  readonly #losses = new Set<(conversationId: string, loss: TurnLoss) => void>();
  /** What wakes those that wait for a turn of another daemon. */
  readonly #waiting = new Map<string, () => void>();
  readonly #releasing = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #timers: NodeJS.Timeout[];
  readonly #subscriptions: (() => void)[];

  constructor(deps: ClusterTurnsDeps) {
    this.#deps = deps;
    const { bus } = deps;
    this.#timers = [
      every(CHECK_EVERY_MS, () => this.#check(), this.#warn),
      every(RENEW_EVERY_MS, () => this.#renew(), this.#warn),
      setInterval(() => this.#endExpired(), CHECK_EVERY_MS).unref(),
    ];
    this.#subscriptions = [
      bus.on('turn_ended', ({ conversationId }) => this.#waiting.get(conversationId)?.()),
      bus.on('turn_stopped', ({ conversationId }) => {
        if (this.#held.has(conversationId)) this.#check().catch(this.#warn);
      }),
    ];
  }

  run<T>(conversationId: string, work: () => Promise<T>): Promise<T> {
    return this.#serial.enqueue(conversationId, async () => {
      const fence = await this.#take(conversationId);
      // Of a conversation that is not there, which the work finds out.
      if (fence === undefined) return work();
      try {
        return await work();
      } finally {
        this.#release(conversationId, fence);
      }
    });
  }

  async isBusy(conversationId: string): Promise<boolean> {
    return this.#serial.isBusy(conversationId) || (await this.#ownerElsewhere(conversationId)) !== undefined;
  }

  async stopElsewhere(conversationId: string): Promise<boolean> {
    if ((await this.#ownerElsewhere(conversationId)) === undefined) return false;
    const { database, bus } = this.#deps;
    await database.write(
      ({ db }) =>
        db
          .updateTable('conversations')
          .set({ turn_stop: sql`turn_fence` })
          .where('id', '=', conversationId)
          .where('turn_owner', 'is not', null)
          .execute(),
      { independent: true },
    );
    bus.emit('turn_stopped', { conversationId });
    return true;
  }

  fenceOf(conversationId: string): number | undefined {
    return this.#held.get(conversationId)?.fence;
  }

  onLoss(listener: (conversationId: string, loss: TurnLoss) => void): void {
    this.#losses.add(listener);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    await Promise.all(this.#releasing);
  }

  async #take(conversationId: string): Promise<number | undefined> {
    const { database, daemon, runtime } = this.#deps;
    for (;;) {
      if (this.#stopping.signal.aborted) throw new AppError('unavailable', 'The daemon is stopping');
      const news = Promise.withResolvers<void>();
      // Before the row is read, so that no news is missed.
      this.#waiting.set(conversationId, news.resolve);
      try {
        const renewedAt = runtime.monotonic();
        const now = runtime.now();
        const taken = await database.write(
          ({ db }) =>
            db
              .updateTable('conversations')
              .set({
                turn_owner: daemon.id,
                turn_until: leaseEnd(now),
                turn_fence: sql`turn_fence + 1`,
              })
              .where('id', '=', conversationId)
              .where((is) =>
                is.or([
                  is('turn_owner', 'is', null),
                  // Here its turns wait for each other.
                  is('turn_owner', '=', daemon.id),
                  is('turn_until', '<', now.toISOString()),
                ]),
              )
              .returning('turn_fence')
              .executeTakeFirst(),
          { independent: true },
        );
        if (taken) {
          this.#held.set(conversationId, { fence: taken.turn_fence, renewedAt, isEnded: false });
          return taken.turn_fence;
        }
        if (
          (await this.#ownerElsewhere(conversationId)) === undefined &&
          !(await this.#exists(conversationId))
        )
          return undefined;
        await Promise.race([news.promise, this.#pause()]);
      } finally {
        this.#waiting.delete(conversationId);
      }
    }
  }

  async #pause(): Promise<void> {
    try {
      await sleep(LOOK_EVERY_MS, undefined, { signal: this.#stopping.signal, ref: false });
    } catch {
      // The daemon stops, which the next look notices.
    }
  }

  /** Gives the turn back without keeping its answer waiting. */
  #release(conversationId: string, fence: number): void {
    const { database, daemon, bus } = this.#deps;
    this.#held.delete(conversationId);
    const releasing = database
      .write(
        ({ db }) =>
          db
            .updateTable('conversations')
            .set({ turn_owner: null, turn_until: null })
            .where('id', '=', conversationId)
            .where('turn_owner', '=', daemon.id)
            .where('turn_fence', '=', fence)
            .execute(),
        { independent: true },
      )
      .then(() => bus.emit('turn_ended', { conversationId }))
      // The lease expires.
      .catch(this.#warn)
      .finally(() => this.#releasing.delete(releasing));
    this.#releasing.add(releasing);
  }

  async #ownerElsewhere(conversationId: string): Promise<string | undefined> {
    const { database, daemon, runtime } = this.#deps;
    const row = await database.read
      .selectFrom('conversations')
      .select('turn_owner')
      .where('id', '=', conversationId)
      .where('turn_owner', '!=', daemon.id)
      .where('turn_until', '>=', runtime.now().toISOString())
      .executeTakeFirst();
    return row?.turn_owner ?? undefined;
  }

  async #exists(conversationId: string): Promise<boolean> {
    const { read } = this.#deps.database;
    const row = await read
      .selectFrom('conversations')
      .select('id')
      .where('id', '=', conversationId)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Ends turns that another daemon has taken, that a person stopped there, and those of deleted conversations. */
  async #check(): Promise<void> {
    const held = [...this.#held];
    if (held.length === 0) return;
    const rows = await this.#deps.database.read
      .selectFrom('conversations')
      .select(['id', 'turn_fence', 'turn_stop'])
      .where(
        'id',
        'in',
        held.map(([id]) => id),
      )
      .execute();
    const known = new Map(rows.map((row) => [row.id, row]));
    for (const [id, turn] of held) {
      const row = known.get(id);
      if (row?.turn_fence !== turn.fence) this.#end(id, turn, 'lost');
      else if (row.turn_stop === turn.fence) this.#end(id, turn, 'stopped');
    }
  }

  async #renew(): Promise<void> {
    const { database, daemon, runtime } = this.#deps;
    const held = [...this.#held];
    if (held.length === 0) return;
    const sentAt = runtime.monotonic();
    const turn_until = leaseEnd(runtime.now());
    const renewed = await database.write(
      ({ db }) =>
        db
          .updateTable('conversations')
          .set({ turn_until })
          .where('turn_owner', '=', daemon.id)
          .where(
            'id',
            'in',
            held.map(([id]) => id),
          )
          .returning(['id', 'turn_fence'])
          .execute(),
      { independent: true },
    );
    const fences = new Map(renewed.map(({ id, turn_fence }) => [id, turn_fence]));
    for (const [id, turn] of held) {
      if (fences.get(id) === turn.fence) turn.renewedAt = sentAt;
      else this.#end(id, turn, 'lost');
    }
  }

  /** Ends what others may soon take, because the database is away or this process did not run. */
  #endExpired(): void {
    const limit = this.#deps.runtime.monotonic() - LEASE_MS + LEASE_MARGIN_MS;
    for (const [id, turn] of this.#held) if (turn.renewedAt < limit) this.#end(id, turn, 'lost');
  }

  #end(id: string, turn: HeldTurn, loss: TurnLoss): void {
    // It may be over since the row was read.
    if (turn.isEnded || this.#held.get(id) !== turn) return;
    turn.isEnded = true;
    for (const listener of this.#losses) listener(id, loss);
  }

  readonly #warn = (error: unknown): void =>
    this.#deps.log.warn(
      { reason: messageOf(error) },
      'turns of conversations could not be renewed or given back',
    );
}

function every(ms: number, work: () => Promise<void>, onError: (error: unknown) => void): NodeJS.Timeout {
  let isRunning = false;
  return setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    void work()
      .catch(onError)
      .finally(() => (isRunning = false));
  }, ms).unref();
}
