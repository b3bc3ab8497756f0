import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
}

/** `svc queue`. */
export function fillQueue(command: Command, cli: Cli): void {
  withExamples(command, ['svc queue status', 'svc queue pause', 'svc queue resume']);
  withExamples(command.command('status').description('show how many tasks wait and run'), [
    'svc queue status',
  ])
    .option('--json', 'print the answer of the daemon')
    .action((options: Options) => showQueue(cli, options));
  const each = (verb: 'pause' | 'resume', summary: string) =>
    withExamples(command.command(verb).description(summary), [`svc queue ${verb}`])
      .option('--json', 'print the answer of the daemon')
      .action(async ({ json }: Options) => {
        const answer = await cli.connect().client.queue[verb]();
        if (json) cli.output.json(answer);
        else
          cli.output.note(answer.paused ? 'Paused. What runs goes on. Again: svc queue resume' : 'Resumed.');
      });
  each('pause', 'start no more tasks; what runs goes on');
  each('resume', 'start tasks again');
}

async function showQueue(cli: Cli, { json }: Options): Promise<void> {
  const { output } = cli;
  const status = await cli.connect().client.queue.status();
  if (json) return output.json(status);
  const { tasks } = status.queues;
  const workers = status.workers.tasks;
  const lines: [string, string | number][] = [
    ['state', status.paused ? output.paint('yellow', 'paused') : 'running'],
    ['backend', status.mode],
    ['workers', workers.concurrency],
    ['pending', tasks.pending],
    ['queued', tasks.queued],
    ['in progress', tasks.inProgress],
    ['completed', tasks.completed],
    ['failed', tasks.failed],
    ['dead letters', `${status.deadLetterQueue.pending} pending of ${status.deadLetterQueue.total}`],
  ];
  for (const [name, value] of lines) output.write(`${output.paint('dim', name.padEnd(13))}${value}\n`);
  if (status.paused) output.note('Start tasks again: svc queue resume');
}
