import { choiceTable } from '../../contract/choice-table.ts';
import { id } from '../ids/id-type.ts';
import { anyNumber, required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option, optionWithDefault } from '../program/options.ts';
import { json, jsonEach, limit, offset, quiet } from '../program/shared-options.ts';
import { choice, text, wholeNumber } from '../program/value-type.ts';

const deadLetterId = id('deadLetter');

const ls = defineCommand({
  name: 'ls',
  summary: 'List dead letters',
  examples: ['svc dlq ls', 'svc dlq ls --status all'],
  options: [
    optionWithDefault(
      '-s, --status <status>',
      'Filter by status',
      choice(choiceTable.dlq.list.status, { isOpen: true }),
      'pending',
    ),
    limit,
    offset,
    json,
    quiet,
  ],
  run: async ({ cli, options }) => (await import('./dlq/dead-letters.ts')).listDeadLetters(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show a dead letter',
  examples: ['svc dlq show 0199'],
  args: { id: required(deadLetterId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./dlq/dead-letters.ts')).showDeadLetter(cli, args.id, options),
});

const selection = [
  flag('--all', 'Select all pending dead letters'),
  option('--class <class>', 'With --all: only this failure class, such as timeout', text),
  option('--limit <n>', 'With --all: select at most this many', wholeNumber),
  jsonEach,
] as const;

const examplesOf = (verb: string) => [`svc dlq ${verb} 0199`, `svc dlq ${verb} --all --class timeout`];

const retry = defineCommand({
  name: 'retry',
  summary: 'Return tasks to the queue',
  examples: examplesOf('retry'),
  args: { id: anyNumber(deadLetterId) },
  options: selection,
  run: async ({ cli, args, options }) =>
    (await import('./dlq/dead-letters.ts')).changeDeadLetters(cli, 'retry', args.id, options),
});

const discard = defineCommand({
  name: 'discard',
  summary: 'Discard tasks',
  examples: examplesOf('discard'),
  args: { id: anyNumber(deadLetterId) },
  options: selection,
  run: async ({ cli, args, options }) =>
    (await import('./dlq/dead-letters.ts')).changeDeadLetters(cli, 'discard', args.id, options),
});

const resolve = defineCommand({
  name: 'resolve',
  summary: 'Mark as resolved manually',
  examples: examplesOf('resolve'),
  args: { id: anyNumber(deadLetterId) },
  options: [...selection, option('--note <text>', 'Describe what was done', text)],
  run: async ({ cli, args, options }) =>
    (await import('./dlq/dead-letters.ts')).changeDeadLetters(cli, 'resolve', args.id, options),
});

export const dlq = defineNoun({
  name: 'dlq',
  summary: 'Manage the dead-letter queue',
  examples: ['svc dlq ls', 'svc dlq retry --all', 'svc dlq discard 0199'],
  commands: [ls, show, retry, discard, resolve],
});
