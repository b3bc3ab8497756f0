import { openPostgres } from '../../src/core/storage/postgres/open-postgres.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { newPostgresDatabase } from './postgres-server.ts';

/** One database, opened as often as said, as so many daemons open it. */
export async function openDatabases(count: number, writers = 2) {
  const made = await newPostgresDatabase();
  const open = () =>
    openPostgres({
      url: made.url,
      prepared: true,
      readers: 2,
      writers,
      reportBug: (error: unknown) => {
        throw error;
      },
    });
  const databases: Database[] = [];
  for (let index = 0; index < count; index++) databases.push(await open());
  return {
    databases,
    async [Symbol.asyncDispose]() {
      await Promise.all(databases.map((database) => database.close()));
      await made.drop();
    },
  };
}
