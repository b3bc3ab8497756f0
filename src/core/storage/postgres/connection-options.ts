import type { ClientConfig } from 'pg';
import pg from 'pg';

/** How to reach the server. */
export interface PostgresServer {
  /** `postgres://…`; it may hold a password. */
  url: string;
  /** Whether sessions keep prepared statements and parameters: not behind a pooler that shares them by transaction. */
  prepared: boolean;
}

/** What waits for a server that does not answer. */
const CONNECT_MS = 2000;
const INT8 = 20;
const NUMERIC = 1700;
const BOOL = 16;

/** Counts and sums arrive as numbers, as from SQLite: all of them are below 2^53. Conditions as 1 and 0. */
const types: ClientConfig['types'] = {
  getTypeParser: (oid, format) => {
    if (oid === INT8 || oid === NUMERIC) return Number;
    if (oid === BOOL) return (text: string) => (text === 't' ? 1 : 0);
    return pg.types.getTypeParser(oid, format);
  },
};

/** The options of a connection with parameters of its session. */
export function connectionOptions(
  { url, prepared }: PostgresServer,
  application: string,
  parameters: Record<string, string>,
): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: application,
    types,
    ...(prepared && {
      options: Object.entries(parameters)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    }),
  };
}
