import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { gather, oneOf, wholeNumber } from '../option-parsers.ts';
import { securityModes } from '../policy/mode-meanings.ts';
import { withExamples } from '../program.ts';
import type { AddOptions } from '../schedules/add-schedule.ts';
import type { ListOptions } from '../schedules/list-schedules.ts';
import type { NextOptions } from '../schedules/next-runs.ts';
import { catchUpMeanings, catchUps, overlapMeanings, overlaps } from '../schedules/policy-meanings.ts';

const statuses = ['active', 'paused', 'done'] as const;

/** `svc schedules`. */
export function fillSchedules(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc schedules add "0 3 * * *" "check the backups"',
    'svc schedules ls',
    'svc schedules pause 0199',
  ]);
  fillReading(command, cli);
  fillAdd(command, cli);
  fillChanging(command, cli);
}

function fillReading(command: Command, cli: Cli): void {
  withExamples(command.command('ls').description('list the schedules, the next one first'), [
    'svc schedules ls',
    'svc schedules ls --status paused',
  ])
    .option('-s, --status <status>', statuses.join(', '), oneOf(statuses))
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option('--offset <n>', 'how many to leave out', wholeNumber)
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the ids only')
    .action(async (options: ListOptions) =>
      (await import('../schedules/list-schedules.ts')).listSchedules(cli, options),
    );
  withExamples(command.command('show').description('show a schedule, its next times and its last run'), [
    'svc schedules show 0199',
  ])
    .argument('<id>', 'its id or the beginning of it')
    .option('--json', 'print the answer of the daemon')
    .action(async (id: string, options: { json?: boolean }) =>
      (await import('../schedules/show-schedule.ts')).showSchedule(cli, id, options),
    );
  withExamples(command.command('next').description('show when a schedule or an expression runs next'), [
    'svc schedules next 0199',
    'svc schedules next --cron "*/5 * * * *" --tz UTC',
  ])
    .argument('[id]', 'its id or the beginning of it')
    .option('--cron <expression>', 'an expression that belongs to no schedule')
    .option('--tz <zone>', 'with --cron: the time zone; that of the daemon unless set')
    .option('--count <n>', 'how many, at most 100', wholeNumber)
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the times only, in UTC')
    .action(async (id: string | undefined, options: NextOptions) =>
      (await import('../schedules/next-runs.ts')).showNextRuns(cli, id, options),
    );
}

function fillAdd(command: Command, cli: Cli): void {
  withExamples(command.command('add').description('create tasks at set times'), [
    'svc schedules add "0 3 * * *" "check the backups" --tz Europe/Berlin',
    'svc schedules add "*/10 * * * *" --agent command --cwd ~/project -- "git fetch"',
    'svc schedules add --at 2026-12-24T18:00 "wish everybody a merry Christmas"',
  ])
    .argument('[words...]', 'the cron expression in quotes, unless --at is given, and what to do')
    .option('--at <time>', 'once, at this time; without an offset in the time zone')
    .option('--tz <zone>', 'the time zone, such as Europe/Berlin; that of the daemon unless set')
    .option('--name <name>', 'its name; the title of its tasks unless set')
    .option('-a, --agent <type>', 'the agent that does it')
    .option('--cwd <folder>', 'where a command runs; an empty folder of each task unless set')
    .option('--overlap <way>', `${overlaps.join(', ')}; skip unless set`, oneOf(overlaps))
    .option('--catch-up <way>', `${catchUps.join(', ')}; run_once unless set`, oneOf(catchUps))
    .option(
      '--max-failures <n>',
      'pause after so many failed runs in a row; 0 never, 5 unless set',
      wholeNumber,
    )
    .option('--paused', 'do not start it yet')
    .option('--title <title>', 'the title of its tasks; the first line of the prompt unless set')
    .option('-l, --label <label>', 'a label of its tasks; may be repeated', gather)
    .option('--priority <n>', '1 (critical) to 4 (low)', wholeNumber)
    .option('--attempts <n>', 'how often a run is tried, the first time included', wholeNumber)
    .option('--mode <mode>', securityModes.join(', '), oneOf(securityModes))
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the id only')
    .addHelpText(
      'after',
      `\nWhen the run before has not ended:\n${listed(overlapMeanings)}\n\nWhen the daemon was off:\n${listed(catchUpMeanings)}`,
    )
    .action(async (words: string[], options: AddOptions) =>
      (await import('../schedules/add-schedule.ts')).addSchedule(cli, words, options),
    );
}

function fillChanging(command: Command, cli: Cli): void {
  const changes = () => import('../schedules/change-schedules.ts');
  const named = (verb: string, summary: string, ids: string) =>
    withExamples(command.command(verb).description(summary), [`svc schedules ${verb} 0199`])
      .argument(ids, ids === '<id>' ? 'its id or the beginning of it' : 'ids or the beginnings of them')
      .option('--json', 'print the answer of the daemon');
  named('pause', 'stop schedules until they are taken up again', '<id...>').action(
    async (ids: string[], options: { json?: boolean }) =>
      (await changes()).setActive(cli, ids, false, options),
  );
  named('resume', 'take paused schedules up again, from now on', '<id...>').action(
    async (ids: string[], options: { json?: boolean }) =>
      (await changes()).setActive(cli, ids, true, options),
  );
  named('run', 'run a schedule now, beside its times', '<id>').action(
    async (id: string, options: { json?: boolean }) => (await changes()).runSchedule(cli, id, options),
  );
  named('rm', 'remove schedules; the tasks that they made stay', '<id...>').action(
    async (ids: string[], options: { json?: boolean }) =>
      (await changes()).removeSchedules(cli, ids, options),
  );
}

const listed = (meanings: Record<string, string>) =>
  Object.entries(meanings)
    .map(([name, meaning]) => `  ${name.padEnd(16)} ${meaning}`)
    .join('\n');
