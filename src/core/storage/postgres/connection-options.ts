import type { ClientConfig } from 'pg';
import pg from 'pg';

/** How to reach the server. */
export interface PostgresServer {
  /** `postgres://…`; it may hold a password. */
  url: string;
  /** Whether sessions keep prepared statements and parameters: not behind a pooler that shares them by transaction. */
  prepared: boolean;
  /** A server that says nothing for so long while it is asked has become unreachable without a word; 20 s unless given. */
  silenceMs?: number;
}

/** Longer than any statement of svc may take. */
const SILENCE_MS = 20_000;
export const silenceMs = (server: PostgresServer): number => server.silenceMs ?? SILENCE_MS;

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

/**
 * A prepared statement keeps the plan of the table as it was: an empty or small one is read whole, which takes milliseconds
 * when it has grown. So there is an index for each statement, and it is used. Compiling a statement pays for none of them.
 */
const planning = { enable_seqscan: 'off', jit: 'off' };

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
      options: Object.entries({ ...planning, ...parameters })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    }),
  };
}

/** Host, port and database, for messages. */
export function addressOf(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return `${host || 'localhost'}:${searchParams.get('port') ?? (port || '5432')}${pathname}`;
}
