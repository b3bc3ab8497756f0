import { choiceTable } from '../../contract/choice-table.ts';
import { timeZone } from '../completion/suggestions.ts';
import { id } from '../ids/id-type.ts';
import { anyNumber, optional, required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option, repeatable } from '../program/options.ts';
import { json, jsonEach, limit, offset, quiet } from '../program/shared-options.ts';
import { choice, text, wholeNumber } from '../program/value-type.ts';
import { scheduleOptions, withoutDefaults } from './schedules/schedule-options.ts';

const scheduleId = id('schedule');

const ls = defineCommand({
  name: 'ls',
  summary: 'List schedules, soonest first',
  examples: ['svc schedules ls', 'svc schedules ls --status paused'],
  options: [
    option('-s, --status <status>', 'Filter by status', choice(choiceTable.schedules.list.status)),
    limit,
    offset,
    json,
    quiet,
  ],
  run: async ({ cli, options }) =>
    (await import('./schedules/list-schedules.ts')).listSchedules(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show a schedule, its next times and its last run',
  examples: ['svc schedules show 0199'],
  args: { id: required(scheduleId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/show-schedule.ts')).showSchedule(cli, args.id, options),
});

const next = defineCommand({
  name: 'next',
  summary: 'Show the next times of a schedule or cron expression',
  examples: ['svc schedules next 0199', 'svc schedules next --cron "*/5 * * * *" --tz UTC'],
  args: { id: optional(scheduleId) },
  options: [
    option('--cron <expression>', 'Cron expression, instead of a schedule', text),
    option('--tz <zone>', "With --cron: time zone (default: the daemon's)", timeZone),
    option('--count <n>', 'Number of times to show (maximum 100)', wholeNumber),
    json,
    flag('-q, --quiet', 'Print the times only, in UTC'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/next-runs.ts')).showNextRuns(cli, args.id, options),
});

const add = defineCommand({
  name: 'add',
  summary: 'Create a schedule',
  examples: [
    'svc schedules add "0 3 * * *" "check the backups" --tz Europe/Berlin',
    'svc schedules add "*/10 * * * *" --agent command --cwd ~/project -- "git fetch"',
    'svc schedules add --at 2026-12-24T18:00 "send the season greetings"',
  ],
  args: { words: anyNumber(text, 'Quoted cron expression (unless --at is given), then the prompt') },
  options: [
    ...scheduleOptions,
    flag('--paused', 'Create it paused'),
    json,
    flag('-q, --quiet', 'Print the ID only'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/add-schedule.ts')).addSchedule(cli, args.words, options),
});

const edit = defineCommand({
  name: 'edit',
  summary: 'Change a schedule, by options or in your editor',
  examples: [
    'svc schedules edit 0199 --cron "0 4 * * *" --model gpt-5',
    'svc schedules edit 0199 --env TOKEN --unset cwd',
    'svc schedules edit 0199',
  ],
  args: { id: required(scheduleId) },
  options: [
    option('--cron <expression>', 'Cron expression', text),
    option('--prompt <text>', 'What to do; - reads it from stdin', text),
    ...withoutDefaults(scheduleOptions),
    repeatable('--unset <field>', 'Remove a field, such as cwd, model or env.NAME', text),
    json,
    flag('-q, --quiet', 'Print the ID only'),
  ],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/edit-schedule.ts')).editSchedule(cli, args.id, options),
});

const pause = defineCommand({
  name: 'pause',
  summary: 'Pause schedules',
  examples: ['svc schedules pause 0199'],
  args: { id: several(scheduleId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/change-schedules.ts')).setActive(cli, args.id, false, options),
});

const resume = defineCommand({
  name: 'resume',
  summary: 'Resume paused schedules; missed times are skipped',
  examples: ['svc schedules resume 0199'],
  args: { id: several(scheduleId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/change-schedules.ts')).setActive(cli, args.id, true, options),
});

const run = defineCommand({
  name: 'run',
  summary: 'Run a schedule now, in addition to its times',
  examples: ['svc schedules run 0199'],
  args: { id: required(scheduleId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/change-schedules.ts')).runSchedule(cli, args.id, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove schedules; their tasks stay',
  examples: ['svc schedules rm 0199'],
  args: { id: several(scheduleId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./schedules/change-schedules.ts')).removeSchedules(cli, args.id, options),
});

export const schedules = defineNoun({
  name: 'schedules',
  summary: 'Create tasks at set times',
  examples: [
    'svc schedules add "0 3 * * *" "check the backups"',
    'svc schedules ls',
    'svc schedules pause 0199',
  ],
  commands: [ls, show, next, add, edit, pause, resume, run, rm],
});
