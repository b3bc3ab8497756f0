import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import { auditPages } from '../audit/audit-store.ts';
import { verifyLog } from '../audit/verify-log.ts';
import { AppError } from '../errors.ts';
import { IDENTITY_CHECK } from '../secrets/key-ring.ts';
import { lockRestingHome } from './lock-resting-home.ts';
import { MOVED_TO, movedMark, refuseMoved } from '../storage/moved-mark.ts';
import { migratePostgres } from '../storage/postgres/migrate-postgres.ts';
import { onPostgres } from '../storage/postgres/start-postgres.ts';
import { type CopyReport, type MoveOptions, nameOfServer } from './copy-report.ts';
import { fillClusterAtRest, fillPostgres } from './fill-postgres.ts';
import { kyselyOn } from './postgres-side.ts';
import { requireIdentity } from './require-identity.ts';
import { migrateSqlite, readStateIn, writeStateIn } from './sqlite-side.ts';

/**
 * Copies the database of this home to an empty one of PostgreSQL, in one transaction that compares all rows before it commits,
 * and marks the old one. Interrupted, it leaves the target empty, or complete without the mark, which the next copy sets.
 */
export async function copyToPostgres(options: MoveOptions): Promise<CopyReport> {
  const { locations, server, now } = options;
  const file = locations.databaseFile;
  if (!existsSync(file)) throw new AppError('not_found', `There is no database ${file}.`);
  const lock = await lockRestingHome(locations);
  try {
    await migrateSqlite(file);
    const native = new DatabaseSync(file);
    try {
      refuseMoved(readStateIn(native, MOVED_TO));
      const report = await onPostgres(server, 'svc-copy', async (client) => {
        await migratePostgres(client);
        return fillClusterAtRest(client, () => copy(options, native, client));
      });
      writeStateIn(
        native,
        MOVED_TO,
        movedMark({ to: nameOfServer(server), at: now.toISOString(), engine: 'postgres' }),
      );
      return report;
    } finally {
      native.close();
    }
  } finally {
    lock.release();
  }
}

async function copy(
  { locations, config, server, now, onProgress, signal }: MoveOptions,
  native: DatabaseSync,
  client: pg.ClientBase,
): Promise<CopyReport> {
  config.useBox(requireIdentity(locations.identityFile, readStateIn(native, IDENTITY_CHECK)).box);
  const to = nameOfServer(server);
  const refusal = `${to} holds other rows already. Copy to an empty database: createdb --encoding=UTF8 svc`;
  const filled = await fillPostgres(native, client, { config, now, refusal, onProgress, signal });
  return {
    from: locations.databaseFile,
    to,
    ...filled,
    audit: await verifyLog(auditPages(kyselyOn(client)), join(locations.data, 'archive')),
  };
}
