import { resolve } from 'node:path';
import type { Schedule } from '../../../contract/schedules.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { printWarnings } from '../../output/print-warnings.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { asker } from '../run/create-task.ts';
import { workOf, type WorkOptions } from '../tasks/work-of.ts';
import { readPrompt, titleOf } from '../run/read-prompt.ts';
import { nextRunLines } from './next-runs.ts';

export interface AddOptions extends WorkOptions {
  at?: string;
  tz?: string;
  name?: string;
  agent?: string;
  cwd?: string;
  title?: string;
  label?: string[];
  priority?: number;
  attempts?: number;
  mode?: SecurityMode;
  overlap?: Schedule['overlap'];
  catchUp?: Schedule['catchUp'];
  maxFailures?: number;
  paused?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/** `svc schedules add`: the cron expression first unless --at is given, then the prompt. */
export async function addSchedule(cli: Cli, words: string[], options: AddOptions): Promise<void> {
  const { output } = cli;
  const { at, tz, name, agent, cwd, label, overlap, catchUp, maxFailures } = options;
  const cron = at === undefined ? requireExpression(words[0]) : undefined;
  const { client, target } = cli.connect();
  const needs = asker(client, agent);
  const takesStdin = async () => !(await needs()).includes('command');
  const prompt = await readPrompt(words.slice(cron === undefined ? 0 : 1), takesStdin, command(options));
  await needs();
  const answer = await client.schedules.create({
    body: {
      ...(cron !== undefined && { cron }),
      // As people write it.
      ...(at !== undefined && { at: at.replace(/^(\d{4}-\d\d-\d\d) +/, '$1T') }),
      ...(tz !== undefined && { timezone: tz }),
      ...(name !== undefined && { name }),
      ...(overlap && { overlap }),
      ...(catchUp && { catchUp }),
      ...(maxFailures !== undefined && { maxFailures }),
      ...(options.paused && { active: false }),
      task: {
        title: options.title ?? titleOf(prompt),
        prompt,
        ...(agent !== undefined && { assignedAgent: agent }),
        ...(cwd !== undefined && { cwd: target.isLocal ? resolve(cwd) : cwd }),
        ...(options.priority !== undefined && { priority: options.priority }),
        ...(options.attempts !== undefined && { maxAttempts: options.attempts }),
        ...(options.mode !== undefined && { securityMode: options.mode }),
        ...workOf(options),
        ...(label && { labels: label }),
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
