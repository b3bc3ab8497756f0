import { CliError } from '../../errors/cli-error.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { formatFileError } from '../../errors/file-error.ts';

/** What a failure of a backup or a restore means on the command line; anything unexpected stays as it is. */
export function explainFailure(error: unknown, hints: Partial<Record<string, string>>): unknown {
  if (!(error instanceof Error) || error instanceof CliError || !('code' in error)) return error;
  const code = String(error.code);
  const isExpected = error.name === 'AppError';
  if (!isExpected && !('syscall' in error && 'path' in error)) return error;
  const message = isExpected
    ? error.message
    : `${String(Object.entries(error).find(([name]) => name === 'path')?.[1])}: ${formatFileError(error)}.`;
  const next = hints[code];
  return new CliError(exitCodeOf[code] ?? exitCodes.invalid, message, {
    ...(next !== undefined && { next }),
    cause: error,
  });
}

const exitCodeOf: Partial<Record<string, ExitCode>> = {
  configuration: exitCodes.configuration,
  storage_full: exitCodes.failed,
  ENOENT: exitCodes.notFound,
};
