import type { QueueStatus } from '../../../contract/queue.ts';
import type { Cli } from '../../program/cli.ts';

interface Options {
  json?: boolean;
}

/** `svc queue pause|resume`. */
export async function setPaused(cli: Cli, verb: 'pause' | 'resume', { json }: Options): Promise<void> {
  const answer = await cli.connect().client.queue[verb]();
  if (json) cli.output.json(answer);
  else
    cli.output.note(
      answer.paused ? 'Queue paused; running tasks continue. Resume it: svc queue resume' : 'Queue resumed.',
    );
}

/** `svc queue status`. */
export async function showQueue(cli: Cli, { json }: Options): Promise<void> {
  const { output } = cli;
  const status = await cli.connect().client.queue.getStatus();
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
    ...status.pools.map((pool): [string, string] => [
      pool.name,
      `${pool.running} of ${pool.slots} slots, ${pool.waiting} waiting${usersOf(pool.users)}`,
    ]),
    ...limitLines(status.limits),
    ['dead letters', `${status.deadLetterQueue.pending} pending of ${status.deadLetterQueue.total}`],
  ];
  const width = Math.max(13, ...lines.map(([name]) => name.length + 2));
  for (const [name, value] of lines) output.write(`${output.paint('dim', name.padEnd(width))}${value}\n`);
  if (status.paused) output.note('Resume it: svc queue resume');
}

const usersOf = (users: number): string => (users > 1 ? ` of ${users} users` : '');

function* limitLines({ perUser, perUserAndAgent }: QueueStatus['limits']): Generator<[string, number]> {
  if (perUser !== undefined) yield ['per user', perUser];
  if (perUserAndAgent !== undefined) yield ['per user and agent', perUserAndAgent];
}
