import { AppError } from '../errors.ts';

const FULL = 13;
const CORRUPT = new Set([11, 26]);
/** BUSY, LOCKED, READONLY, IOERR, CANTOPEN, PROTOCOL. */
const UNAVAILABLE = new Set([5, 6, 8, 10, 14, 15]);

/** The result code of an error that SQLite raised, without its extended part. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

/** Turns a fault of the disk or the database into an answer for the caller; anything else stays as it is. */
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
    return new AppError('unavailable', 'The database is damaged. Run svc doctor.', { cause: error });
  if (code !== undefined && UNAVAILABLE.has(code))
    return new AppError('unavailable', 'The database cannot be used right now. Try again.', { cause: error });
  return error;
}
