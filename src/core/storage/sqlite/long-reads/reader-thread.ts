import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../errors.ts';
import { inTime, type ReadRequest, type ReaderOptions, type ReadResponse } from './read-messages.ts';

/** A thread that runs one query after the other on a connection of its own, which only reads. */
const MAX_STATEMENTS = 100;
/** How long a query waits for the lock of another process; nobody else waits in this thread. */
const BUSY_MS = 1000;

const port = parentPort;
if (!port) throw new Error('This module must run in a worker thread');
const { file, cacheMiB } = workerData as ReaderOptions;
const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
database.exec(
  `pragma cache_size = -${Math.round(cacheMiB * 1024)}; pragma trusted_schema = off; pragma temp_store = memory`,
);
const statements = new Map<string, StatementSync>();
let deadline = 0;
let isLate = false;
database.function(inTime, () => {
  if (performance.now() < deadline) return 1;
  isLate = true;
  throw new Error('The time limit of the read has passed');
});

port.on('message', (request: ReadRequest | 'close') => {
  if (request !== 'close') return port.postMessage(run(request));
  database.close();
  port.close();
});

function run({ sql, parameters, limitMs }: ReadRequest): ReadResponse {
  deadline = performance.now() + limitMs;
  isLate = false;
  try {
    return { rows: prepare(sql).all(...(parameters as SQLInputValue[])) };
  } catch (error) {
    const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;
    return { message: messageOf(error), errcode, isLate };
  }
}

function prepare(sql: string): StatementSync {
  const known = statements.get(sql);
  if (known) return known;
  const [oldest] = statements.keys();
  if (statements.size >= MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
  const statement = database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}
