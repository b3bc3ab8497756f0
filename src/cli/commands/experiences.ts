import { choiceTable } from '../../contract/choice-table.ts';
import { experienceMeanings } from '../../contract/experience-meanings.ts';
import { id } from '../ids/id-type.ts';
import { required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { option, optionWithDefault, repeatable } from '../program/options.ts';
import { json, jsonEach, limit, offset, quiet, yes } from '../program/shared-options.ts';
import { choice, decimal, text, wholeNumber } from '../program/value-type.ts';

const experienceId = id('experience');

const ls = defineCommand({
  name: 'ls',
  summary: 'List experiences, highest weight first',
  examples: [
    'svc experiences ls',
    'svc experiences ls --type error_recovery --tag deploy',
    'svc experiences ls --min-weight 0.5 --json',
  ],
  options: [
    option(
      '-t, --type <type>',
      'Filter by type',
      choice(choiceTable.experiences.list.type, { meanings: experienceMeanings }),
    ),
    option('--tag <tag>', 'Filter by tag', text),
    option('--min-weight <weight>', 'Minimum weight, such as 0.5', decimal),
    option('--conversation <id>', 'Filter by conversation', id('conversation')),
    limit,
    offset,
    json,
    quiet,
  ],
  run: async ({ cli, options }) =>
    (await import('./experiences/show-experiences.ts')).listExperiences(cli, options),
});

const search = defineCommand({
  name: 'search',
  summary: 'Search experiences',
  examples: ['svc experiences search "how to deploy"', 'svc experiences search flaky test --limit 3'],
  args: { query: several(text, 'Question or words') },
  options: [
    option('--limit <n>', 'Show at most this many (maximum 100, default: 6)', wholeNumber),
    json,
    quiet,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./experiences/show-experiences.ts')).searchExperiences(cli, args.query, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show an experience and its origin',
  examples: ['svc experiences show 0199'],
  args: { id: required(experienceId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./experiences/show-experiences.ts')).showExperience(cli, args.id, options),
});

const record = defineCommand({
  name: 'record',
  summary: 'Record the steps that led to a goal',
  examples: [
    'svc experiences record "deploy the docs" --step "npm run build" --step "npm run push"',
    'svc experiences record "the build hangs" --type error_recovery --step "rm -r .cache" --tag build',
    'svc experiences record "set up a machine" --step - < steps.txt',
  ],
  args: { intent: required(text, 'Goal') },
  options: [
    repeatable('--step <text>', 'Add a step (- reads one per line from stdin)', text),
    optionWithDefault(
      '-t, --type <type>',
      'Type',
      choice(choiceTable.experiences.create.type, { meanings: experienceMeanings, title: 'Types' }),
      'task_solution',
    ),
    option('--success <share>', 'Success, 0 to 1 (default: 1)', decimal),
    repeatable('--tag <tag>', 'Add a tag', text),
    option('--conversation <id>', 'Conversation that it comes from', id('conversation')),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./experiences/change-experiences.ts')).recordExperience(cli, args.intent, options),
});

const use = defineCommand({
  name: 'use',
  summary: 'Mark an experience as useful, which raises its weight',
  examples: ['svc experiences use 0199'],
  args: { id: required(experienceId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./experiences/change-experiences.ts')).useExperience(cli, args.id, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove experiences',
  examples: ['svc experiences rm 0199', 'svc experiences ls --tag old -q | xargs svc experiences rm'],
  args: { id: several(experienceId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./experiences/change-experiences.ts')).removeExperiences(cli, args.id, options),
});

const decay = defineCommand({
  name: 'decay',
  summary: 'Lower weights by the time since the last use',
  examples: ['svc experiences decay', 'svc experiences decay --half-life 7'],
  options: [
    option('--half-life <days>', 'Days after which an unused experience weighs half (default: 30)', decimal),
    json,
  ],
  run: async ({ cli, options }) =>
    (await import('./experiences/change-experiences.ts')).decayExperiences(cli, options),
});

const prune = defineCommand({
  name: 'prune',
  summary: 'Remove experiences with a low weight',
  examples: ['svc experiences prune --yes', 'svc experiences prune --min-weight 0.2'],
  options: [
    option('--min-weight <weight>', 'Remove those that weigh less (default: 0.05)', decimal),
    yes,
    json,
  ],
  run: async ({ cli, options }) =>
    (await import('./experiences/change-experiences.ts')).pruneExperiences(cli, options),
});

export const experiences = defineNoun({
  name: 'experiences',
  summary: 'Record and search past solutions',
  examples: [
    'svc experiences record "deploy the docs" --step "npm run build" --step "npm run push"',
    'svc experiences search "how to deploy"',
    'svc experiences ls --tag deploy',
  ],
  commands: [ls, search, show, record, use, rm, decay, prune],
});
