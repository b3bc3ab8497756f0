import { Kysely } from 'kysely';
import pg from 'pg';
import { ReadTimeLimit } from '../read-time-limit.ts';
import type { Schema } from '../schema.ts';
import { storableValues } from '../storable-text.ts';
import { connectionOptions, type PostgresServer, silenceMs } from './connection-options.ts';
import { PostgresConnection, postgresDialect, StatementNames } from './postgres-dialect.ts';
import {
  isConnectionLost,
  isPlanOutdated,
  isStatementTimeout,
  translatePostgresError,
} from './postgres-errors.ts';

const IDLE_MS = 30_000;

/**
 * How reads are planned. On the cores that writes need too, no read gets more than one: starting its workers takes longer
 * than most lists. And pages of an index that are read in any order cost what others do, as from memory or a solid-state
 * disk: by its default, PostgreSQL would collect all of a frequent value before it takes the first.
 */
export const readerSession = { max_parallel_workers_per_gather: '0', random_page_cost: '1.1' };

/** Connections that only read, each statement with a time limit in milliseconds; faults reject as `AppError`. */
export class ReaderPool {
  readonly db: Kysely<Schema>;
  readonly #pool: pg.Pool;
  readonly #names: StatementNames;
  readonly #limitMs: number;

  constructor(
    server: PostgresServer,
    options: { connections: number; limitMs: number; onError: (error: unknown) => void },
  ) {
    this.#limitMs = options.limitMs;
    const connecting = connectionOptions(server, 'svc-reader', {
      ...readerSession,
      default_transaction_read_only: 'on',
      statement_timeout: String(options.limitMs),
    });
    this.#pool = new pg.Pool({
      ...connecting,
      // A read waits for a free connection as for its answer; the library knows one limit for this and for connecting.
      connectionTimeoutMillis: silenceMs(server),
      Client: class extends pg.Client {
        constructor(config?: pg.ClientConfig) {
          super({ ...config, connectionTimeoutMillis: connecting.connectionTimeoutMillis });
        }
      },
      // The server ends what takes long; this is for one that does not answer at all.
      query_timeout: silenceMs(server),
      max: options.connections,
      idleTimeoutMillis: IDLE_MS,
    });
    // An idle connection that the server ends; the next read makes another.
    this.#pool.on('error', options.onError);
    this.#names = new StatementNames(server.prepared);
    const connection = new PostgresConnection((statement) =>
      this.#run({
        ...statement,
        values: storableValues(statement.values ?? []),
        ...this.#names.of(statement.text),
      }),
    );
    this.db = new Kysely<Schema>({ dialect: postgresDialect(connection) });
  }

  async #run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.#pool.query(statement).catch((error: unknown) => {
        // Reading again changes nothing: a connection was cut while it was idle, or a table has got more columns.
        if (isConnectionLost(error)) return this.#pool.query(statement);
        if (!isPlanOutdated(error)) throw error;
        this.#names.renew();
        return this.#pool.query({ ...statement, ...this.#names.of(statement.text) });
      });
    } catch (error) {
      throw isStatementTimeout(error) ? new ReadTimeLimit(this.#limitMs) : translatePostgresError(error);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
