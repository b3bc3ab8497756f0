import { CliError } from '../../errors/cli-error.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { undoLines } from '../../output/change-lines.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';

interface Options {
  dryRun?: boolean;
  json?: boolean;
}

/** `svc tasks undo ID`: fails if a file could not be restored, or if nothing of the run is kept. */
export async function undoChanges(
  cli: Cli,
  text: string,
  { dryRun = false, json }: Options,
): Promise<ExitCode> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const report = await client.tasks.undo({ params: { id }, body: { dryRun } });
  const { restored, notRestored, notKept } = report;
  if (json) output.json(report);
  else
    for (const { text: line, isGood } of undoLines(report))
      if (isGood) output.line(line);
      else output.note(`${output.paintError('red', '✗')} ${line}`);
  const [missing] = notKept;
  if (restored.length + notRestored.length === 0 && missing)
    throw new CliError(exitCodes.failed, `Nothing can be undone. ${missing.message}`);
  if (!json) {
    if (restored.length + notRestored.length === 0) output.note('There is nothing to undo.');
    for (const { message } of notKept) output.note(`${output.paintError('yellow', '!')} ${message}`);
    const short = idShortener(output, [{ id }])(id);
    if (restored.length > 0 && !dryRun)
      output.note(output.paintError('dim', `To bring the changes back: svc tasks diff ${short} | git apply`));
  }
  return notRestored.length === 0 ? exitCodes.done : exitCodes.failed;
}
