import { ApiError } from '../../contract/client.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { reportError } from '../errors/report-error.ts';

/** Runs an action for each ID and continues after a failure; the first failure sets the exit code. */
export async function forEachId(cli: Cli, ids: string[], act: (id: string) => Promise<void>): Promise<void> {
  for (const id of ids) {
    try {
      await act(id);
    } catch (error) {
      const isOfOne = error instanceof ApiError || error instanceof CliError;
      if (!isOfOne || ids.length === 1) throw error;
      const exitCode = reportError(error, cli);
      cli.exitCode ||= exitCode;
    }
  }
}
