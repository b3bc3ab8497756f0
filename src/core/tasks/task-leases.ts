import type { Log } from '../log.ts';
import { messageOf } from '../errors.ts';
import { type Database, independent } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { ActiveRuns } from './active-runs.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;

export const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE_MS).toISOString();

/** Renews the leases of this process's runs, and stops a run whose claim is over. */
export class TaskLeases {
  readonly #deps: { database: Database; runs: ActiveRuns; runtime: Runtime; log: Log };
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: { database: Database; runs: ActiveRuns; runtime: Runtime; log: Log }) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.renew().catch((error: unknown) =>
        this.#deps.log.warn({ reason: messageOf(error) }, 'leases could not be renewed'),
      );
    }, RENEW_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async renew(): Promise<void> {
    const { database, runs, runtime } = this.#deps;
    const claims = runs.claims();
    if (claims.length === 0) return;
    const lease_until = leaseEnd(runtime.now());
    const lost = await database.write(async ({ db }) => {
      const over: string[] = [];
      for (const { id, fence } of claims) {
        const { numUpdatedRows } = await db
          .updateTable('tasks')
          .set({ lease_until })
          .where('id', '=', id)
          .where('status', '=', 'in_progress')
          .where('fence', '=', fence)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) over.push(id);
      }
      return over;
    }, independent);
    for (const id of lost) runs.stop(id, 'lost');
  }
}
