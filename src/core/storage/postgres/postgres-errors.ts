import { AppError } from '../../errors.ts';

/** Of PostgreSQL (five characters, appendix A of its manual) or of the operating system. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** serialization_failure, deadlock_detected, lock_not_available, unique_violation. */
const AGAIN = new Set(['40001', '40P01', '55P03', '23505']);
/** What Node.js says of a connection that is gone. */
const GONE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** What `pg` says without a code. */
const goneTexts =
  /Connection terminated|Client was closed|not queryable|timeout expired|timeout exceeded when trying|Query read timeout/i;
/** out_of_memory, insufficient_resources, cannot_connect_now and the like. */
const UNAVAILABLE = new Set(['53000', '53200', '53400', '57014', '58000', '58030', 'XX000']);
const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY = '25006';
const DISK_FULL = '53100';
/** program_limit_exceeded: in what svc does, only an entry of an index can be too long. */
const TOO_LONG = '54000';
const STATEMENT_TIMEOUT = '57014';
const INVALID_PARAMETER = '22023';

/** Whether the same work may succeed when it runs again: another writer was in the way. */
export const isWorthAnotherTry = (error: unknown): boolean => AGAIN.has(codeOf(error));

/** Whether a prepared statement returns other columns than before: a newer daemon has added some to its table. */
export const isPlanOutdated = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';

/**
 * Whether the connection is gone, or the server is stopping or starting (classes 08 and 57P), or has ended the connection
 * because its transaction did nothing for long (25P03), as when this process was frozen.
 */
export const isConnectionLost = (error: unknown): boolean =>
  /^(08|57P0|25P03)/.test(codeOf(error)) ||
  GONE.has(codeOf(error)) ||
  (error instanceof Error && codeOf(error) === '' && goneTexts.test(error.message));

/** Whether the server has become a standby, which takes no writes. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** Whether the server has given no transaction the number yet that was asked for. */
export const isUnknownTransaction = (error: unknown): boolean => codeOf(error) === INVALID_PARAMETER;

/** Whether a statement ran into its time limit. */
export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === STATEMENT_TIMEOUT;

/** Whether the server answered at all, so that its transaction is void. */
export const isOfServer = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test(codeOf(error)) || isConnectionLost(error);

/** Converts a fault of the server or of the way to it to an `AppError`; other errors are returned unchanged. */
export function translatePostgresError(error: unknown): unknown {
  if (codeOf(error) === DISK_FULL)
    return new AppError(
      'storage_full',
      'The disk of the database server is full: nothing was stored. Free some space and try again.',
      { cause: error },
    );
  if (codeOf(error) === TOO_LONG)
    return new AppError(
      'validation',
      'A text is too long for the database: of a path, or of another text by which rows are found, it takes at most 2,500 bytes.',
      { cause: error },
    );
  if (codeOf(error) === TOO_MANY_CONNECTIONS)
    return new AppError(
      'unavailable',
      'PostgreSQL has no free connection: max_connections is too small. Try again.',
      { cause: error },
    );
  const isAway =
    isConnectionLost(error) ||
    isReadOnly(error) ||
    isWorthAnotherTry(error) ||
    UNAVAILABLE.has(codeOf(error));
  if (!isAway) return error;
  return new AppError('unavailable', 'The database cannot be used right now. Try again.', { cause: error });
}
