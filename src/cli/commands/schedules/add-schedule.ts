import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { printWarnings } from '../../output/print-warnings.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { asker } from '../run/create-task.ts';
import { titleOf } from '../../../contract/task-title.ts';
import { readPrompt } from '../run/read-prompt.ts';
import { chosenVariables } from '../run/task-environment.ts';
import { nextRunLines } from './next-runs.ts';
import { type ScheduleOptions, scheduleFieldsOf, taskFieldsOf } from './schedule-fields.ts';

export interface AddOptions extends ScheduleOptions {
  paused?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/** `svc schedules add`: the cron expression first unless --at is given, then the prompt. */
export async function addSchedule(cli: Cli, words: string[], options: AddOptions): Promise<void> {
  const { output } = cli;
  const { at, agent } = options;
  const cron = at === undefined ? requireExpression(words[0]) : undefined;
  const { client, target } = cli.connect();
  const needs = asker(client, agent);
  const takesStdin = async () => !(await needs()).includes('command');
  const prompt = await readPrompt(words.slice(cron === undefined ? 0 : 1), takesStdin, command(options));
  const env = chosenVariables(options, cli.platform.env, await needs());
  const answer = await client.schedules.create({
    body: {
      ...(cron !== undefined && { cron }),
      ...scheduleFieldsOf(options),
      ...(options.paused && { active: false }),
      task: {
        title: options.title ?? titleOf(prompt),
        prompt,
        ...taskFieldsOf(options, target.isLocal),
        ...(Object.keys(env).length > 0 && { env }),
      },
    },
  });
  if (options.json) return output.json(answer);
  const { schedule } = answer;
  output.write(`${schedule.id}\n`);
  if (options.quiet) return;
  printWarnings(output, answer);
  if (schedule.status === 'paused')
    return output.note(`Schedule created, paused. Resume it:\n  svc schedules resume ${schedule.id}`);
  const next = nextRunLines(schedule.nextRuns, schedule.timezone).map((line) => `\n  ${line}`);
  output.note(`Next runs (${schedule.timezone}):${next.join('')}`);
}

const command = ({ at }: AddOptions) =>
  at === undefined ? 'svc schedules add "0 3 * * *"' : `svc schedules add --at ${at}`;

/** Without quotes the shell splits the expression and expands its stars to file names. */
function requireExpression(text = ''): string {
  if (text.startsWith('@') || text.trim().includes(' ')) return text;
  throw new CliError(exitCodes.usage, 'The first argument must be a quoted cron expression.', {
    next: 'Example: svc schedules add "0 3 * * *" "check the backups", or once: --at 2026-12-24T18:00',
  });
}
