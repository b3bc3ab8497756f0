import type { WatcherStatus } from '../../../contract/memory.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { formatFacts } from '../../output/facts.ts';
import { followLiveFeed } from '../tasks/live-feed.ts';
import { fitText } from '../../output/text-width.ts';
import { pathShower } from './shown-path.ts';
import { formatProgress } from './sync-progress.ts';

/** `svc memory watch`: shows whether directories are watched, then follows syncs until Ctrl-C. */
export async function watchMemory(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const answer = await connection.client.memory.getWatcherStatus();
  if (json) return output.json(answer);
  const { reason, state } = answer;
  const { lastSyncAt } = state;
  output.write(
    formatFacts(
      [
        ['Watching', formatWatching(answer)],
        ['Reason', state.watching ? undefined : reason],
        [
          'Changes',
          state.watching ? (state.dirty ? 'some are not indexed yet' : 'all are indexed') : undefined,
        ],
        [
          'Last sync',
          lastSyncAt === null ? 'never' : `${lastSyncAt}  (${formatAge(lastSyncAt, Date.now())})`,
        ],
      ],
      output.paint,
    ),
  );
  if (!state.watching)
    output.note('Without it, each search checks for changed files itself, as far as time allows.');
  const show = pathShower(cli);
  let last = '';
  await followLiveFeed(connection, {
    again: 'svc memory watch',
    topics: ['memory'],
    onOpen: () => output.note(output.paintError('dim', 'Following syncs; press Ctrl-C to stop.')),
    onMessage(message) {
      if (message.type !== 'memory') return;
      const { progress, at } = message;
      const { phase, basePath, done, total } = progress;
      // A whole sync that is stopped before it knows how much there is to do was looking.
      if (phase === 'done' && total === undefined && last !== `looking ${basePath}`) {
        const count = `  ${done.toLocaleString('en')} ${done === 1 ? 'file' : 'files'}`;
        return print(cli, at, (width) => fitText(show(basePath), width - count.length) + count);
      }
      const step = `${phase} ${basePath}`;
      if (step !== last) print(cli, at, (width) => fitText(formatProgress(progress), width));
      last = phase === 'done' ? '' : step;
    },
    signal: output.closed,
  });
}

const formatWatching = ({ enabled, reason, state: { watching, watchedFiles } }: WatcherStatus) => {
  if (watching) return `${watchedFiles.toLocaleString('en')} files`;
  return enabled && reason === undefined ? 'not yet' : 'no';
};

function print({ output }: Cli, at: string, fit: (width: number) => string): void {
  const time = new Date(at).toLocaleTimeString('sv');
  output.write(`${output.paint('dim', time)}  ${fit(output.width - time.length - 2)}\n`);
}
