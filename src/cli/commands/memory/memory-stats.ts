import type { MemoryStats, SharedRoot } from '../../../contract/memory.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatDuration } from '../../output/duration.ts';
import { formatFacts } from '../../output/facts.ts';
import { methodMeanings } from '../../../contract/search-method-words.ts';
import { formatProgress } from './sync-progress.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import { longCall } from '../../connection/long-call.ts';

interface Format {
  json?: boolean;
}

/** `svc memory stats`. */
export async function showMemoryStats(cli: Cli, { json }: Format): Promise<void> {
  const { output } = cli;
  const stats = await cli.connect().client.memory.getStats();
  if (json) return output.json(stats);
  const { lastSyncAt, method, embeddingFailure, roots, sharedRoots, syncing } = stats;
  output.write(
    formatFacts(
      [
        ['Files', stats.fileCount.toLocaleString('en')],
        ['Chunks', stats.chunkCount.toLocaleString('en')],
        [
          'Last sync',
          lastSyncAt === null ? 'never' : `${lastSyncAt}  (${formatAge(lastSyncAt, Date.now())})`,
        ],
        ['Syncing', syncing && formatProgress(syncing)],
        ['Search method', methodMeanings[method]],
        ['Model', formatModel(stats)],
        ['Error', embeddingFailure],
        ['Directories', roots.length > 0 ? roots : 'none'],
        ['Read by', sharedRoots?.map(formatReader)],
      ],
      output.paint,
    ),
  );
  if (roots.length === 0) output.note('\nIndex a directory: svc memory sync DIRECTORY');
}

/** Which daemon of a cluster keeps a directory up to date. */
const formatReader = ({ path, host, daemon, online }: SharedRoot): string =>
  online
    ? `${path}: ${daemon} on ${host}`
    : `${path}: no daemon now, last ${daemon} on ${host}. Files that changed since are not found`;

/** `svc memory warm [QUERY…]`. */
export async function warmMemory(cli: Cli, words: string[], { json }: Format): Promise<void> {
  const { output } = cli;
  const body = words.length === 0 ? {} : { query: words.join(' ') };
  const answer = await whileWaiting(output, { isShown: !json, text: 'loading the index' }, () =>
    cli.connect().client.memory.warm({ body }, longCall),
  );
  if (json) return output.json(answer);
  const { chunkCount, method, durationMs } = answer;
  output.note(
    `Ready in ${formatDuration(durationMs)}: ${chunkCount.toLocaleString('en')} chunks, searched by ${methodMeanings[method]}.`,
  );
}

function formatModel({ embeddingModel, embeddedCount = 0, chunkCount }: MemoryStats): string | undefined {
  if (embeddingModel === undefined) return undefined;
  const isAll = embeddedCount >= chunkCount;
  const count = embeddedCount.toLocaleString('en');
  return `${embeddingModel}, ${isAll ? 'all chunks' : `${count} of ${chunkCount.toLocaleString('en')} chunks so far`}`;
}
