import { usageGroups } from '../../contract/usage.ts';
import { required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json } from '../program/shared-options.ts';
import { choice, decimal, duration, text, wholeNumber } from '../program/value-type.ts';

const model = { model: required(text, 'The model as provider/model') };

const prices = defineNoun({
  name: 'prices',
  summary: 'List the prices of models, with their day and source',
  examples: ['svc usage prices', 'svc usage prices set openai/gpt-x --input 1 --output 2'],
  options: [flag('--set', 'Only those that you set'), json],
  commands: [
    defineCommand({
      name: 'set',
      summary: 'Set the price of a model in USD per million tokens',
      examples: [
        'svc usage prices set openai/gpt-x --input 1.25 --output 10 --cached-input 0.125',
        'svc usage prices set ollama/qwen3 --input 0 --output 0',
      ],
      args: model,
      options: [
        option('--input <usd>', 'Of the prompt', decimal),
        option('--output <usd>', 'Of the answer', decimal),
        option('--cached-input <usd>', 'Of prompt tokens that were cached (default: as --input)', decimal),
        option('--cache-write <usd>', 'Of tokens written to the cache (default: as --input)', decimal),
      ],
      run: async ({ cli, args, options }) =>
        (await import('./usage/prices.ts')).setPrice(cli, args.model, options),
    }),
    defineCommand({
      name: 'rm',
      summary: 'Remove a price that you set; the list price holds again',
      examples: ['svc usage prices rm openai/gpt-x'],
      args: model,
      run: async ({ cli, args }) => (await import('./usage/prices.ts')).removePrice(cli, args.model),
    }),
    defineCommand({
      name: 'import',
      summary: 'Set the prices that a JSON file contains',
      examples: ['svc usage prices import prices.json', 'svc usage prices import prices.json --dry-run'],
      args: { file: required(text, 'The file') },
      options: [flag('--dry-run', 'Only show what would change')],
      run: async ({ cli, args, options }) =>
        (await import('./usage/prices.ts')).importPrices(cli, args.file, options),
    }),
  ],
  run: async ({ cli, options }) => (await import('./usage/prices.ts')).listPrices(cli, options),
});

const budgets = defineCommand({
  name: 'budgets',
  summary: 'Show the budgets and how much of each is used',
  examples: ['svc usage budgets', 'svc usage budgets --json'],
  options: [json],
  run: async ({ cli, options }) => (await import('./usage/show-budgets.ts')).showBudgets(cli, options),
});

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
  commands: [budgets, prices],
  run: async ({ cli, options }) => (await import('./usage/show-usage.ts')).showUsage(cli, options),
});
