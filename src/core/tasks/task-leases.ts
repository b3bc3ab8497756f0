import type { DaemonIdentity } from '../daemon-identity.ts';
import { LEASE_MARGIN_MS, LEASE_MS, leaseEnd } from '../leases.ts';
import type { Log } from '../log.ts';
import { messageOf } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { ActiveRuns } from './active-runs.ts';

const RENEW_EVERY_MS = 10_000;
/** How soon a daemon notices that another one has taken or cancelled a task that it runs, if nothing tells it. */
const CHECK_EVERY_MS = 1000;

export interface TaskLeasesDeps {
  database: Database;
  runs: ActiveRuns;
  daemon: DaemonIdentity;
  /** As the claims of this process name it. */
  workerId: string;
  runtime: Runtime;
  log: Log;
}

/** Renews the leases of this process's runs, and stops a run whose claim is over. */
export class TaskLeases {
  readonly #deps: TaskLeasesDeps;
  readonly #timers: NodeJS.Timeout[] = [];
  #renewedAt = -Infinity;

  constructor(deps: TaskLeasesDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#every(RENEW_EVERY_MS, () => this.renew());
    // Alone, no other daemon takes or cancels a task.
    if (!this.#deps.daemon.isInCluster) return;
    this.#every(CHECK_EVERY_MS, () => this.check());
    this.#timers.push(setInterval(() => this.#stopExpired(), CHECK_EVERY_MS).unref());
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async renew(): Promise<void> {
    const { database, runs, runtime, workerId } = this.#deps;
    const claims = runs.claims();
    const sentAt = runtime.monotonic();
    if (claims.length > 0) {
      const lease_until = leaseEnd(runtime.now());
      const held = await database.write(
        ({ db }) =>
          db
            .updateTable('tasks')
            .set({ lease_until })
            .where('status', '=', 'in_progress')
            .where('lease_owner', '=', workerId)
            .where(
              'id',
              'in',
              claims.map(({ id }) => id),
            )
            .returning(['id', 'fence'])
            .execute(),
        { independent: true },
      );
      this.#stopOthers(claims, held);
    }
    this.#renewedAt = sentAt;
  }

  /** Stops runs whose claim is over. */
  async check(): Promise<void> {
    const { database, runs } = this.#deps;
    const claims = runs.claims();
    if (claims.length === 0) return;
    const held = await database.read
      .selectFrom('tasks')
      .select(['id', 'fence'])
      .where('status', '=', 'in_progress')
      .where(
        'id',
        'in',
        claims.map(({ id }) => id),
      )
      .execute();
    this.#stopOthers(claims, held);
  }

  /** Stops what others may soon take, because the database is away or this process did not run. */
  #stopExpired(): void {
    const { runs, runtime } = this.#deps;
    const limit = runtime.monotonic() - LEASE_MS + LEASE_MARGIN_MS;
    if (this.#renewedAt >= limit) return;
    for (const { id, fence, since } of runs.claims()) if (since < limit) runs.stopClaim(id, fence, 'lost');
  }

  #stopOthers(claims: { id: string; fence: number }[], held: { id: string; fence: number }[]): void {
    const fences = new Map(held.map(({ id, fence }) => [id, fence]));
    for (const { id, fence } of claims)
      if (fences.get(id) !== fence) this.#deps.runs.stopClaim(id, fence, 'lost');
  }

  #every(ms: number, work: () => Promise<void>): void {
    let isRunning = false;
    const timer = setInterval(() => {
      // One that waits for the database is enough.
      if (isRunning) return;
      isRunning = true;
      work()
        .catch((error: unknown) =>
          this.#deps.log.warn({ reason: messageOf(error) }, 'leases could not be renewed or checked'),
        )
        .finally(() => (isRunning = false));
    }, ms);
    this.#timers.push(timer.unref());
  }
}
