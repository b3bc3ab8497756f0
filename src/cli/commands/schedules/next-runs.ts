import type { Client } from '../../../contract/client.ts';
import type { Schedule } from '../../../contract/schedules.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatLeft } from '../../output/duration.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { formatAllZoned } from './zoned-time.ts';

export interface NextOptions {
  cron?: string;
  tz?: string;
  count?: number;
  json?: boolean;
  quiet?: boolean;
}

/** `svc schedules next`: the next runs of a schedule or of a cron expression. */
export async function showNextRuns(cli: Cli, text: string | undefined, options: NextOptions): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  if ((text === undefined) === (options.cron === undefined))
    throw new CliError(exitCodes.usage, 'Specify a schedule or --cron.', {
      next: 'Example: svc schedules next --cron "*/5 * * * *" --tz UTC',
    });
  if (text !== undefined && options.tz !== undefined)
    throw new CliError(exitCodes.usage, '--tz requires --cron; a schedule has its own time zone.');
  const answer =
    text === undefined ? await preview(client, { ...options }) : await nextOf(cli, client, text, options);
  if (options.json) return output.json(answer);
  const { nextRuns, timezone } = answer;
  if (options.quiet) return output.write(nextRuns.map((at) => `${at}\n`).join(''));
  output.write(
    nextRunLines(nextRuns, timezone)
      .map((line) => `${line}\n`)
      .join(''),
  );
  output.note(output.paintError('dim', timezone));
}

/** One line per run: the time in its zone, and how far away it is. */
export function nextRunLines(nextRuns: readonly string[], timezone: string, now = Date.now()): string[] {
  return formatAllZoned(nextRuns, timezone).map(
    (time, index) => `${time}   in ${formatLeft(nextRuns[index], now)}`,
  );
}

async function nextOf(cli: Cli, client: Client, text: string, { count }: NextOptions) {
  const { answer } = await withId(text, idsOf(client, 'schedule'), (id) =>
    client.schedules.get({ params: { id } }),
  );
  const { schedule } = answer;
  if (schedule.status !== 'active') cli.output.note(whyNot(schedule));
  const { cron, timezone, nextRuns } = schedule;
  return cron === undefined ? { timezone, nextRuns } : preview(client, { cron, tz: timezone, count });
}

const whyNot = ({ id, status }: Schedule) =>
  status === 'done'
    ? 'The schedule has finished; it has no further runs.'
    : `The schedule is paused; these would be its next runs. Resume it:\n  svc schedules resume ${id}\n`;

const preview = (
  client: Client,
  { cron, tz, count }: { cron?: string; tz?: string; count?: number | undefined },
) =>
  client.schedules.preview({
    body: {
      ...(cron !== undefined && { cron }),
      ...(tz !== undefined && { timezone: tz }),
      ...(count !== undefined && { count }),
    },
  });
