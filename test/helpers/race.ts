import { sql } from 'kysely';
import type { Database } from '../../src/core/storage/database.ts';
import { hasPostgres } from './postgres-server.ts';
import { storageOf, type TestStorage } from './storage.ts';
import { openDatabases } from './two-databases.ts';

/** False where there is no PostgreSQL to race on; CI fails instead. */
export const canRace: boolean = hasPostgres;

export interface Race extends AsyncDisposable {
  one: TestStorage;
  other: TestStorage;
}

/** One database, opened twice as two daemons open it. */
export async function openRace(): Promise<Race> {
  const { databases, [Symbol.asyncDispose]: dispose } = await openDatabases(2, 1);
  const [one, other] = databases.map(storageOf) as [TestStorage, TestStorage];
  return { one, other, [Symbol.asyncDispose]: dispose };
}

/** Adds an account, whose id is also its name. */
export const addUser = ({ database }: Pick<TestStorage, 'database'>, id: string, role = 'user') =>
  database.write(({ db }) =>
    db
      .insertInto('users')
      .values({ id, email: id, name: id, role, created_at: '2026-01-01', onboarding_completed: 0 })
      .execute(),
  );

/**
 * Runs two works that overlap, whatever the machine does: the first one commits only after the second one has come to
 * its end or waits for the first. Answers how each ended.
 */
export async function overlap<A, B>(
  { one, other }: Race,
  first: (storage: TestStorage) => Promise<A>,
  second: (storage: TestStorage) => Promise<B>,
): Promise<[PromiseSettledResult<A>, PromiseSettledResult<B>]> {
  const done = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const write: Database['write'] = (work, how) =>
    one.database.write(async (transaction) => {
      const result = await work(transaction);
      done.resolve();
      await release.promise;
      return result;
    }, how);
  const begun = first({ ...one, database: { ...one.database, write } });
  await Promise.race([done.promise, begun]);
  const followed = second(other);
  let isOver = false;
  const over = () => void (isOver = true);
  followed.then(over, over);
  while (!isOver && !(await hasWaiting(one.database))) await new Promise((resolve) => setImmediate(resolve));
  release.resolve();
  return Promise.allSettled([begun, followed]);
}

async function hasWaiting({ read }: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(read);
  return rows.length > 0;
}
