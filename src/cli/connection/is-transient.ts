import { ApiError } from '../../contract/client.ts';
import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';

/** Whether a retry may succeed: the daemon restarts or is busy, or the connection was lost. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return [429, 502, 503, 504].includes(error.status);
  if (error instanceof CliError) return error.exitCode === exitCodes.unreachable;
  // What the network reports carries a code.
  return error instanceof Error && 'code' in error;
}
