import { AppError } from '../errors.ts';
import { codeOf } from './file-errors.ts';

const reasons: Record<string, string> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user has no permission',
  EPERM: 'the operating system does not permit it',
};
/** SQLite's PERM, READONLY and CANTOPEN. */
const sqliteReasons: Record<number, string> = {
  3: 'this user has no permission',
  8: 'the file system is read-only, or this user has no permission',
  14: 'the file system is read-only, or this user has no permission',
};

/** Where the system refused to write, an error that says which file and what to do; anything else stays as it is. */
export function explainUnwritable(error: unknown, path = pathOf(error)): unknown {
  const reason = reasons[codeOf(error) ?? ''] ?? sqliteReasons[sqliteCodeOf(error) ?? 0];
  if (reason === undefined || path === undefined) return error;
  return new AppError(
    'configuration',
    `svc cannot write to ${path}: ${reason}. Make it writable, or choose another directory: SVC_HOME=/path/to/directory`,
    { cause: error },
  );
}

const pathOf = (error: unknown): string | undefined =>
  error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;

const sqliteCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
