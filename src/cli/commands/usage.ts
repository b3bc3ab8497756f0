import { usageGroups } from '../../contract/usage.ts';
import { defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json } from '../program/shared-options.ts';
import { choice, duration, text, wholeNumber } from '../program/value-type.ts';

export const usage = defineNoun({
  name: 'usage',
  summary: 'Show what models used and cost',
  examples: ['svc usage', 'svc usage --by agent --since 7d', 'svc usage --by task --csv > usage.csv'],
  options: [
    option('--by <what>', 'Add up by this (default: day)', choice(usageGroups)),
    option('--since <time>', 'How far back to look, such as 7d (default: 30d)', duration),
    option('--from <date>', 'First day, YYYY-MM-DD (UTC)', text),
    option('--to <date>', 'Last day, YYYY-MM-DD (UTC; default: today)', text),
    option('-a, --agent <name>', 'Only of this agent', text),
    option('-m, --model <provider/model>', 'Only of this model', text),
    option('--repository <name>', 'Only of this repository', text),
    option('--limit <n>', 'Show at most this many lines (maximum 500; default: 50)', wholeNumber),
    flag('--csv', 'Print all lines as CSV'),
    json,
  ],
  commands: [],
  run: async ({ cli, options }) => (await import('./usage/show-usage.ts')).showUsage(cli, options),
});
