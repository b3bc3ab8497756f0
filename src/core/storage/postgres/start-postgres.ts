import pg from 'pg';
import type { ReportStart } from '../../../contract/start-step.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { Database } from '../database.ts';
import { takesNoWrites } from './server-watch.ts';
import { addressOf, connectionOptions, type PostgresServer } from './connection-options.ts';
import { requireDurableCommits } from './durable-commits.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { openPostgres, type PostgresOptions } from './open-postgres.ts';
import { isConnectionLost, isReadOnly } from './postgres-errors.ts';
import { version } from '../../version.ts';
import { requireNeighbours } from './version-skew.ts';

/**
 * Migrates the schema of a database, together with other daemons that start, and opens it. Throws `wrong_state` where daemons
 * run that cannot work with this one, and `configuration` where commits would not be durable.
 */
export async function startPostgres(
  options: PostgresOptions & { report?: ReportStart | undefined; warn?: (message: string) => void },
): Promise<Database> {
  await onPostgres(options, 'svc-migration', async (client) => {
    await requireDurableCommits(client, options.warn);
    await requireNeighbours(client, version);
    await migratePostgres(client, { report: options.report });
  });
  try {
    return await openPostgres(options);
  } catch (error) {
    // Where it was translated for those who only wait for the database, the cause says what to do about it.
    const cause = error instanceof AppError ? error.cause : error;
    const explained = explain(cause, options.url);
    throw explained === cause ? error : explained;
  }
}

/** Does work on a connection of its own; rejects with what is wrong with the server and what to do about it. */
export async function onPostgres<T>(
  server: PostgresServer,
  application: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  try {
    const client = new pg.Client(connectionOptions(server, application, {}));
    // Its queries reject with it.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    throw explain(error, server.url);
  }
}

/** How an administrator of the server creates the database of the URL. */
function createCommand(url: string): string {
  const { username, pathname } = new URL(url);
  const owner = username === '' ? '' : `--owner=${decodeURIComponent(username)} `;
  return `createdb ${owner}--encoding=UTF8 --template=template0 ${decodeURIComponent(pathname.slice(1)) || 'svc'}`;
}

/** What is wrong with the server or with `storage.url`, and what to do about it; without the password. */
function explain(error: unknown, url: string): unknown {
  const address = addressOf(url);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === '3D000')
    return new AppError(
      'configuration',
      `PostgreSQL has no database ${address}. Create it: ${createCommand(url)}`,
      { cause: error },
    );
  if (typeof code === 'string' && code.startsWith('28'))
    return new AppError(
      'configuration',
      `PostgreSQL at ${address} refuses the user or the password of storage.url (DATABASE_URL), where a password is percent-encoded: ${messageOf(error)}`,
      { cause: error },
    );
  if (code === '53300')
    return new AppError(
      'unavailable',
      `PostgreSQL at ${address} has no free connection. Raise max_connections, or lower storage.readers and storage.writers`,
      { cause: error },
    );
  if (code === '42501')
    return new AppError(
      'configuration',
      `The user of storage.url (DATABASE_URL) has too few rights in PostgreSQL at ${address}: ${messageOf(error)}. Make it the owner of the database: ALTER DATABASE NAME OWNER TO USER; and of its tables, where another user has created them: REASSIGN OWNED BY OTHER TO USER`,
      { cause: error },
    );
  if (code === '3F000')
    return new AppError(
      'configuration',
      `No schema in the search_path of the user of storage.url (DATABASE_URL) exists in ${address}. Name one that does: ALTER ROLE USER SET search_path = public`,
      { cause: error },
    );
  if (isReadOnly(error)) return new AppError('unavailable', takesNoWrites(address), { cause: error });
  if (isConnectionLost(error))
    return new AppError(
      'unavailable',
      `PostgreSQL at ${address} cannot be reached: ${messageOf(error)}. Start it, or correct storage.url (DATABASE_URL)`,
      { cause: error },
    );
  return error;
}
