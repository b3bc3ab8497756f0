import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingsFile } from '../config/settings-file.ts';
import { inSnapshot } from '../moving/in-snapshot.ts';
import { fillSqlite } from '../moving/copy-to-sqlite.ts';
import { readSettings } from '../moving/postgres-side.ts';
import type { PostgresServer } from '../storage/postgres/connection-options.ts';
import { requireKnownSchema } from '../storage/postgres/migrate-postgres.ts';
import { onPostgres } from '../storage/postgres/start-postgres.ts';
import { DATABASE, SETTINGS } from './backup-manifest.ts';

/**
 * Copies one moment of the database of a cluster to a directory, as the files of a daemon with SQLite: all rows, compared
 * with their copies, and the settings that its daemons share. Daemons go on writing meanwhile.
 */
export async function copyCluster(server: PostgresServer, directory: string): Promise<void> {
  await onPostgres(server, 'svc-backup', (client) =>
    inSnapshot(client, async () => {
      await requireKnownSchema(client);
      // Whoever starts with it indexes the texts of its tasks.
      const file = join(directory, DATABASE);
      await fillSqlite(client, file, { isIndexed: false });
      inOneFile(file);
      const settings = await readSettings(client);
      if (settings.length > 0)
        await new SettingsFile(join(directory, SETTINGS)).write(settings, () => undefined);
    }),
  );
}

/** A database with a log would get one beside it when it is read. */
function inOneFile(file: string): void {
  const native = new DatabaseSync(file);
  native.exec('pragma journal_mode = delete');
  native.close();
}
