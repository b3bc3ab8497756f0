import type { Schedule } from '../../../contract/schedules.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import type { Paint } from '../../output/output.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Column } from '../../output/table.ts';
import { paintStatus } from '../tasks/paint-status.ts';
import { formatZoned } from './zoned-time.ts';

export interface ListOptions {
  status?: Schedule['status'];
  limit?: number;
  offset?: number;
  json?: boolean;
  quiet?: boolean;
}

/** `svc schedules ls`. */
export async function listSchedules(cli: Cli, { json, quiet, ...query }: ListOptions): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.schedules.list({ query });
  if (json) return output.json(answer);
  const { schedules, total } = answer;
  if (quiet) return output.write(schedules.map(({ id }) => `${id}\n`).join(''));
  if (schedules.length === 0)
    return output.note(
      query.status === undefined
        ? 'No schedules. Create one: svc schedules add "0 3 * * *" "check the backups"'
        : `No ${query.status} schedules. List all: svc schedules ls`,
    );
  output.table(columns(output.paint, idShortener(output, schedules)), schedules);
  if (schedules.length < total)
    output.note(output.paintError('dim', `${schedules.length} of ${total}. More: --limit, --offset`));
}

function columns(paint: Paint, short: (id: string) => string): Column<Schedule>[] {
  const now = Date.now();
  return [
    { title: 'ID', value: ({ id }) => short(id) },
    {
      title: 'NEXT RUN',
      value: ({ status, nextRunAt, timezone }) =>
        nextRunAt === undefined ? status : formatZoned(nextRunAt, timezone),
      paint: (cell, { status, pausedReason }) =>
        status === 'active' ? cell : paint(pausedReason === undefined ? 'dim' : 'red', cell),
    },
    { title: 'TIME ZONE', value: ({ timezone }) => timezone, isElastic: true },
    {
      title: 'LAST RUN',
      value: ({ lastStatus = '' }) => lastStatus,
      paint: (cell, { lastStatus }) => paintStatus(paint, cell, lastStatus),
    },
    {
      title: 'STARTED',
      value: ({ lastRunAt }) => (lastRunAt === undefined ? '' : formatAge(lastRunAt, now)),
      fromWidth: 110,
    },
    { title: 'SCHEDULE', value: ({ cron = 'once' }) => cron, fromWidth: 100 },
    { title: 'NAME', value: ({ name }) => name, isElastic: true },
  ];
}
