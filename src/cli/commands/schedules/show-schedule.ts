import type { Schedule } from '../../../contract/schedules.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatDuration } from '../../output/duration.ts';
import { type Fact, formatFacts } from '../../output/facts.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { catchUpMeanings, overlapMeanings } from '../../../contract/schedule-policies.ts';
import { nextRunLines } from './next-runs.ts';
import { formatZonedFully } from './zoned-time.ts';

const PROMPT_LETTERS = 400;

/** `svc schedules show ID`. */
export async function showSchedule(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'schedule'), (each) =>
    client.schedules.get({ params: { id: each } }),
  );
  if (json) return output.json(answer);
  const { schedule } = answer;
  output.write(formatFacts(factsOf(schedule), output.paint));
  if (schedule.status === 'paused') output.note(`\nResume it:\n  svc schedules resume ${id}`);
}

function factsOf(schedule: Schedule): Fact[] {
  const { task, timezone, nextRuns, lastRunAt, lastTaskId, pausedReason, status, at } = schedule;
  const now = Date.now();
  const time = (moment: string) => formatZonedFully(moment, timezone);
  return [
    ['Schedule', schedule.id],
    ['Name', schedule.name],
    ['Status', pausedReason === undefined ? status : `${status}: ${pausedReason}`],
    ['Times', schedule.cron ?? (at && `once, ${time(at)}`)],
    ['Time zone', timezone],
    ['Next runs', nextRunLines(nextRuns, timezone, now)],
    ['Last run', lastRunAt && `${time(lastRunAt)}   ${formatAge(lastRunAt, now)}`],
    ['Last task', lastTaskId && `${lastTaskId}  ${schedule.lastStatus ?? ''}`],
    ['Runs', countsOf(schedule)],
    ['Overlap', `${schedule.overlap}: ${overlapMeanings[schedule.overlap]}`],
    ['Catch up', `${schedule.catchUp}: ${catchUpMeanings[schedule.catchUp]}`],
    ['Failures', failuresOf(schedule)],
    ['Title', [schedule.name, task.prompt].includes(task.title) ? undefined : task.title],
    ['Agent', task.assignedAgent],
    ['Directory', task.cwd],
    ['Variables', task.envNames?.join(', ')],
    ['Priority', task.priority === 3 ? undefined : String(task.priority)],
    ['Labels', task.labels.join(', ')],
    ['Verify', task.verify],
    ['Model', [task.provider, task.model].filter(Boolean).join(' ')],
    ['Limits', limitsOf(task)],
    ['Prompt', task.prompt?.slice(0, PROMPT_LETTERS).split('\n')],
  ];
}

function countsOf({ runCount, waitingCount, skippedCount, misfireCount }: Schedule): string {
  const others: [number, string][] = [
    [waitingCount, 'waiting'],
    [skippedCount, 'skipped'],
    [misfireCount, 'missed'],
  ];
  return [String(runCount), ...others.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`)].join(', ');
}

const limitsOf = ({ maxSteps, maxBudget, maxCostUsd, maxTimeMs }: Schedule['task']) =>
  [
    maxSteps !== undefined && `${maxSteps} steps`,
    maxBudget !== undefined && `${maxBudget} tokens`,
    maxCostUsd !== undefined && `${maxCostUsd} USD`,
    maxTimeMs !== undefined && formatDuration(maxTimeMs),
  ]
    .filter(Boolean)
    .join(', ');

const failuresOf = ({ failureCount, maxFailures }: Schedule) =>
  maxFailures === 0 ? `${failureCount} in a row` : `${failureCount} in a row, pauses at ${maxFailures}`;
