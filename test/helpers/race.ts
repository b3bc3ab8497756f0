import { openPostgres } from '../../src/core/storage/postgres/open-postgres.ts';
import { hasPostgres, newPostgresDatabase } from './postgres-server.ts';
import { storageOf, type TestStorage } from './storage.ts';

/** False where there is no PostgreSQL to race on; CI fails instead. */
export const canRace: boolean = hasPostgres;

export interface Race extends AsyncDisposable {
  one: TestStorage;
  other: TestStorage;
}

/** One database, opened twice as two daemons open it. */
export async function openRace(): Promise<Race> {
  const made = await newPostgresDatabase();
  const open = async () => storageOf(await openPostgres({ ...options, url: made.url }));
  const [one, other] = await Promise.all([open(), open()]);
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.database.close(), other.database.close()]);
      await made.drop();
    },
  };
}

const options = {
  prepared: true,
  readers: 2,
  writers: 2,
  reportBug: (error: unknown) => {
    throw error;
  },
};

/** Adds an account, whose id is also its name. */
export const addUser = ({ database }: Pick<TestStorage, 'database'>, id: string, role = 'user') =>
  database.write(({ db }) =>
    db
      .insertInto('users')
      .values({ id, email: id, name: id, role, created_at: '2026-01-01', onboarding_completed: 0 })
      .execute(),
  );

/** Runs the work on both at the same time, as often as said, and answers how each ended. */
export const onBoth = <T>({ one, other }: Race, times: number, work: (storage: TestStorage) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: times }, () => [work(one), work(other)]).flat());
