import { Kysely } from 'kysely';
import pg from 'pg';
import type { Schema } from '../schema.ts';
import { storableValues } from '../storable-text.ts';
import type { PreparedUpdate } from '../prepared-update.ts';
import { connectionOptions, type PostgresServer, silenceMs } from './connection-options.ts';
import { PostgresConnection, postgresDialect, StatementNames } from './postgres-dialect.ts';
import type { ColumnTypes } from './column-types.ts';
import { UpdateBatches } from './update-batches.ts';

/** One of the works of a group: its own count of writes, on the connection of all. */
export interface WriterLane {
  connection: PostgresConnection;
  db: Kysely<Schema>;
}

/** The stream of a connection, encrypted or not, which `pg` does not declare to be a socket. */
type TimedStream = pg.Connection['stream'] & { setTimeout(ms: number): TimedStream };

const LOCK_TIMEOUT = '2s';
const IDLE_TIMEOUT = '15s';
/** Whoever waits for a work does not wait longer, and others wait for what it locks. */
const STATEMENT_TIMEOUT = '15s';

/** The parameters of the session of a writer. */
export const writerSession = {
  lock_timeout: LOCK_TIMEOUT,
  statement_timeout: STATEMENT_TIMEOUT,
  idle_in_transaction_session_timeout: IDLE_TIMEOUT,
  // Several rows are found each by its id, however small the table was when the statement was planned.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Planning for the values at hand costs as much as running the statement, and gives the same plan.
  plan_cache_mode: 'force_generic_plan',
};

/** A connection on which statements follow each other without waiting for answers; it is made again after it was lost. */
export class WriterConnection {
  readonly #server: PostgresServer;
  readonly #names: StatementNames;
  readonly #lanes: WriterLane[] = [];
  readonly #updates: UpdateBatches;
  #client: pg.Client | undefined;
  #name = '';
  #isCorked = false;
  /** Statements without an answer. */
  #unanswered = 0;

  constructor(server: PostgresServer, types: ColumnTypes) {
    this.#server = server;
    this.#names = new StatementNames(server.prepared);
    this.#updates = new UpdateBatches(this.lane(0).db, types);
  }

  /** What the connection is called in the database. One that is made again has another name: its last transaction may still hold what it wrote. */
  get name(): string {
    return this.#name;
  }

  /** Rejects with the error of the network or of the server. */
  async connect(): Promise<void> {
    if (this.#client) return;
    const client = new pg.Client({
      ...connectionOptions(this.#server, 'svc-writer', writerSession),
      pipeline: true,
    });
    client.on('error', () => {
      if (this.#client === client) this.drop();
    });
    try {
      await client.connect();
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    this.#name = crypto.randomUUID();
    this.#unanswered = 0;
    const socket = client.connection.stream as TimedStream;
    // A way that is cut without a word ends no connection: the system would wait for minutes, and a group with it.
    socket.setTimeout(silenceMs(this.#server)).on('timeout', () => {
      if (this.#client === client && this.#unanswered > 0)
        socket.destroy(new Error('Connection terminated: the server does not answer'));
    });
  }

  /** Sends the statement with the others of this turn of the event loop, and resolves to its answer. */
  query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    const client = this.#client;
    if (!client) return Promise.reject(new Error('Connection terminated'));
    this.#cork(client);
    const answer = client.query({ text, values: storableValues(values), ...this.#names.of(text) });
    this.#unanswered++;
    const answered = () => {
      if (this.#client === client) this.#unanswered--;
    };
    answer.then(answered, answered);
    return answer;
  }

  /** The lane of the work with this number in its group. */
  lane(index: number): WriterLane {
    let lane = this.#lanes[index];
    if (!lane) {
      const connection = new PostgresConnection(({ text, values }) => this.query(text, values));
      lane = { connection, db: new Kysely<Schema>({ dialect: postgresDialect(connection) }) };
      this.#lanes[index] = lane;
    }
    return lane;
  }

  /** Parses and plans all statements again. */
  forgetPlans(): void {
    this.#names.renew();
  }

  /** Forgets a connection that cannot be used any more. */
  drop(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.end().catch(() => undefined);
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Sends the update of a lane with those of the others in this turn of the event loop. */
  update<P extends { id: string }, R extends { id: string }>(
    { connection }: WriterLane,
    update: PreparedUpdate<P, R>,
    values: P,
  ): Promise<R | undefined> {
    if (!this.#client) return Promise.reject(new Error('Connection terminated'));
    connection.writes++;
    this.#cork(this.#client);
    return this.#updates.add(update, values);
  }

  /** `pg` writes each statement separately, which takes a fifth of the time of a busy daemon. */
  #cork(client: pg.Client): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = client.connection;
    stream.cork();
    setImmediate(() => {
      this.#updates.send();
      this.#isCorked = false;
      stream.uncork();
    });
  }
}
