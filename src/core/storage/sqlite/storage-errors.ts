import { AppError } from '../../errors.ts';
import type { StorageFaultKind } from '../storage-fault.ts';

const READ_ONLY = 8;
/** BUSY, LOCKED, PROTOCOL. */
const BUSY = new Set([5, 6, 15]);
const FULL = 13;
const CORRUPT = new Set([11, 26]);
/** BUSY, LOCKED, READONLY, IOERR, CANTOPEN, PROTOCOL. */
const UNAVAILABLE = new Set([5, 6, 8, 10, 14, 15]);

/** The primary result code of an SQLite error. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

const CORRUPT_VTAB = 11 | (1 << 8);

/** The fault of the whole storage that an error indicates; undefined if only the statement failed. */
export function faultKindOf(error: unknown): StorageFaultKind | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  const code = sqliteCode(cause);
  if (code === undefined) return undefined;
  if (code === FULL) return 'full';
  // A damaged text index can be rebuilt; the rows are intact.
  if (CORRUPT.has(code))
    return (cause as { errcode?: number }).errcode === CORRUPT_VTAB ? undefined : 'damaged';
  if (code === READ_ONLY) return 'read_only';
  if (BUSY.has(code)) return 'stuck';
  return UNAVAILABLE.has(code) ? 'unavailable' : undefined;
}

/** Converts a fault of the disk or the database to an `AppError`; other errors are returned unchanged. */
export function translateStorageError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === FULL)
    return new AppError(
      'storage_full',
      'The disk is full: nothing was stored. Free some space and try again.',
      {
        cause: error,
      },
    );
  if (code !== undefined && CORRUPT.has(code))
    return new AppError(
      'unavailable',
      'The database is damaged, or its disk cannot be read. Check it: svc health --detailed',
      { cause: error },
    );
  if (code !== undefined && UNAVAILABLE.has(code))
    return new AppError('unavailable', 'The database cannot be used right now. Try again.', { cause: error });
  return error;
}
