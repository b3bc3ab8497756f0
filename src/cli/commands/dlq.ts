import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import type { BulkOptions, ListOptions } from '../dlq/dead-letters.ts';
import { wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';

const deadLetters = () => import('../dlq/dead-letters.ts');

/** `svc dlq`. */
export function fillDlq(command: Command, cli: Cli): void {
  withExamples(command, ['svc dlq ls', 'svc dlq retry --all', 'svc dlq discard 0199']);
  withExamples(command.command('ls').description('list the tasks that failed for good'), [
    'svc dlq ls',
    'svc dlq ls --status all',
  ])
    .option('-s, --status <status>', 'pending, resolved, discarded or all', 'pending')
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option('--offset <n>', 'how many to leave out', wholeNumber)
    .option('--json', 'print the answer of the daemon')
    .option('-q, --quiet', 'print the ids only')
    .action(async (options: ListOptions) => (await deadLetters()).listDeadLetters(cli, options));
  withExamples(command.command('show').description('show a dead letter'), ['svc dlq show 0199'])
    .argument('<id>', 'its id or the beginning of it')
    .option('--json', 'print the answer of the daemon')
    .action(async (id: string, options: { json?: boolean }) =>
      (await deadLetters()).showDeadLetter(cli, id, options),
    );
  const each = (verb: 'retry' | 'discard' | 'resolve', summary: string) =>
    withExamples(command.command(verb).description(summary), [
      `svc dlq ${verb} 0199`,
      `svc dlq ${verb} --all --class timeout`,
    ])
      .argument('[id...]', 'ids or the beginnings of them')
      .option('--all', 'all that are pending')
      .option('--class <class>', 'with --all: only this class of failure, such as timeout')
      .option('--limit <n>', 'with --all: at most so many', wholeNumber)
      .option('--json', 'print the answers of the daemon');
  const act = (verb: 'retry' | 'discard' | 'resolve') => async (ids: string[], options: BulkOptions) =>
    (await deadLetters()).changeDeadLetters(cli, verb, ids, options);
  each('retry', 'put the tasks back into the queue').action(act('retry'));
  each('discard', 'give the tasks up').action(act('discard'));
  each('resolve', 'mark them as handled by hand')
    .option('--note <text>', 'what was done')
    .action(act('resolve'));
}
