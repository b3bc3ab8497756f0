import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { followTask } from './follow-task.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { refusalLines } from './refusal-lines.ts';
import { exitCodeOfTask } from './task-outcome.ts';

/** `svc tasks wait ID`: exits with the code of the task, or with 8 on a timeout. */
export async function waitForTask(
  cli: Cli,
  text: string,
  { timeout, json, allowRefusals }: { timeout?: number; json?: boolean; allowRefusals?: boolean },
): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const id = await resolveId(text, idsOf(connection.client, 'task'));
  const signal = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  try {
    const answer = await followTask(connection, id, { onEvent: () => undefined, ...(signal && { signal }) });
    const { status, error } = answer.task;
    if (json) output.json(answer);
    else output.note(`${id} ${status}${error ? `: ${escapeLine(error.message)}` : ''}`);
    for (const line of refusalLines(answer.task)) output.note(line);
    cli.exitCode = exitCodeOfTask(answer.task, { allowRefusals });
  } catch (error) {
    if (!signal?.aborted) throw error;
    throw new CliError(exitCodes.pending, `${id} has not finished.`, {
      next: `Follow it: svc tasks logs -f ${id}`,
      cause: error,
    });
  }
}
