import type { SyncProgress, WatcherStatus } from '../../contract/memory.ts';
import type { Cli } from '../cli.ts';
import { spellAge } from '../duration.ts';
import { layOutFacts } from '../facts.ts';
import { followLiveFeed } from '../tasks/live-feed.ts';
import { fitText } from '../text-width.ts';
import { spellProgress } from './sync-progress.ts';

/** `svc memory watch`: whether folders are watched, then what is synced, until Ctrl-C. */
export async function watchMemory(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const answer = await connection.client.memory.watcher();
  if (json) return output.json(answer);
  const { reason, state } = answer;
  const { lastSyncAt } = state;
  output.write(
    layOutFacts(
      [
        ['Watching', spellWatching(answer)],
        ['Because', state.watching ? undefined : reason],
        ['Changes', state.watching ? (state.dirty ? 'some are not read yet' : 'all are read') : undefined],
        ['Last sync', lastSyncAt === null ? 'never' : `${lastSyncAt}  (${spellAge(lastSyncAt, Date.now())})`],
      ],
      output.paint,
    ),
  );
  if (!state.watching)
    output.note('Without it, searches look for changes themselves, as far as time allows.');
  let last = '';
  await followLiveFeed(connection, {
    again: 'svc memory watch',
    onOpen: () => output.note(output.paintError('dim', 'Following syncs; Ctrl-C ends it.')),
    onMessage(message) {
      if (message.type !== 'memory') return;
      const { progress, at } = message;
      const step = `${progress.phase} ${progress.basePath}`;
      if (step !== last) print(cli, at, progress);
      last = progress.phase === 'done' ? '' : step;
    },
    signal: output.closed,
  });
}

const spellWatching = ({ enabled, reason, state: { watching, watchedFiles } }: WatcherStatus) => {
  if (watching) return `${watchedFiles.toLocaleString('en')} files`;
  return enabled && reason === undefined ? 'not yet' : 'no';
};

function print({ output }: Cli, at: string, progress: SyncProgress): void {
  const time = new Date(at).toLocaleTimeString('sv');
  output.write(
    `${output.paint('dim', time)}  ${fitText(spellProgress(progress), output.width - time.length - 2)}\n`,
  );
}
