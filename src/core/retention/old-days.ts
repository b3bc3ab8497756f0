import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { inBatches } from '../storage/in-batches.ts';

/** More than the 365 days that analytics can show. */
const KEPT_MS = 400 * 86_400_000;

/** Removes the daily counts of days that analytics no longer shows. */
export async function removeOldDays(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS).toISOString().slice(0, 10);
  await inBatches(async (limit) => {
    const { numAffectedRows = 0n } = await database.write(({ db }) =>
      sql`delete from task_days where (owner_id, day) in
        (select owner_id, day from task_days where day < ${before} limit ${limit})`.execute(db),
    );
    return Number(numAffectedRows);
  });
}
