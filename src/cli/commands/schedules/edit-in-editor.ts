import type { Schedule, UpdateSchedule } from '../../../contract/schedules.ts';
import { ApiError } from '../../../contract/client.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatError } from '../../errors/report-error.ts';
import { canAsk } from '../../input/ask.ts';
import { editDraft, editorOf } from '../../input/edit-draft.ts';
import type { Cli } from '../../program/cli.ts';
import { changedFields, draftOf, patchOf } from './schedule-draft.ts';
import { formatDraft, parseDraft } from './schedule-text.ts';

type Answer = { schedule: Schedule };

/**
 * Opens a schedule in the editor, again with what is wrong with it until it is valid. Resolves to undefined where nothing
 * was changed; rejects where the text was left as it is although something is wrong.
 */
export async function editInEditor(
  cli: Cli,
  schedule: Schedule,
  send: (body: UpdateSchedule) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  if (!canAsk(cli))
    throw new CliError(exitCodes.usage, 'No terminal for an editor.', {
      next: 'Pass what to change, such as --cron "0 4 * * *". See: svc schedules edit --help',
    });
  const { id, task } = schedule;
  const before = draftOf(schedule);
  const about = { id, ...(task.envNames && { envNames: task.envNames }) };
  const { scheduleChecks } = await import('../../../contract/schedule-checks.ts');
  const checks = scheduleChecks();
  let shown = formatDraft(before, about);
  for (;;) {
    const saved = await editDraft(`${shown}\n`, editorOf(cli.platform.env), 'schedule.md');
    if (saved.trim() === '') return undefined;
    try {
      const after = parseDraft(saved, checks);
      return changedFields(before, after).length === 0 ? undefined : await send(patchOf(before, after));
    } catch (error) {
      if (!isOfText(error) || saved === shown) throw error;
      shown = withProblem(saved, formatError(error, cli));
    }
  }
}

/** Whether another text could be right. */
const isOfText = (error: unknown) =>
  error instanceof CliError || (error instanceof ApiError && error.status === 400);

const PROBLEM = '# Error: ';

/** The text of the user below what is wrong with it. */
const withProblem = (text: string, problem: string): string =>
  [
    `${PROBLEM}${problem.replaceAll('\n', ' ')}`,
    ...text.split('\n').filter((line) => !line.startsWith(PROBLEM)),
  ].join('\n');
