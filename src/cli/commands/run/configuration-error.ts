import { ApiError } from '../../../contract/client.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** The fields of a task that name what has to be configured before it can run. */
const configured = ['model', 'provider', 'assignedAgent'];

/** The error for a task that cannot run as svc is configured: no provider, an unknown model, no agent that can take it. */
export function configurationError(error: unknown): CliError | undefined {
  if (!(error instanceof ApiError && error.status === 400)) return undefined;
  const [detail, ...more] = error.details ?? [];
  if (!detail || more.length > 0 || detail.message !== error.message || !configured.includes(detail.path))
    return undefined;
  return new CliError(exitCodes.configuration, error.message, { cause: error });
}
