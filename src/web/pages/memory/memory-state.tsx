import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MemoryStats, WatcherStatus } from '../../../contract/memory.ts';
import { methodMeanings } from '../../../contract/search-method-words.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { counted } from '../../components/counted.ts';
import { Facts } from '../../components/facts.tsx';
import { problemText } from '../../components/problem.tsx';
import { Ago } from '../../components/time.tsx';
import { watcherQuery } from '../../queries/memory.ts';
import styles from './memory.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** How fresh the index is, and how it is searched. */
export function MemoryState({ stats, isAdmin }: { stats: MemoryStats; isAdmin: boolean }) {
  const watcher = useQuery(watcherQuery);
  const { lastSyncAt, method, embeddingModel, embeddingFailure } = stats;
  return (
    <section className={styles['part']} aria-label="State of the index">
      <Facts
        facts={[
          ['Last sync', lastSyncAt === null ? 'never' : <Ago key="sync" at={lastSyncAt} />],
          [
            'Watching',
            watcher.data ? watchingText(watcher.data) : watcher.error && problemText(watcher.error),
          ],
          ['Searched by', methodMeanings[method] ?? method],
          ['Model', embeddingModel && modelText(stats)],
        ]}
      />
      {embeddingFailure && (
        <p className="error">
          Search by meaning does not cover all files: {visibleLine(embeddingFailure)}. It is retried
          automatically.
        </p>
      )}
      {embeddingModel === undefined && (
        <p className="muted">
          Searches match words. To match by meaning too,{' '}
          {isAdmin ? (
            <Link to="/settings/configuration" search={{ q: 'memory.embedding' }}>
              choose an embedding provider
            </Link>
          ) : (
            'an administrator can choose an embedding provider'
          )}
          . The text of every indexed file is then sent to it.
        </p>
      )}
    </section>
  );
}

function watchingText({ enabled, reason, state: { watching, watchedFiles, dirty } }: WatcherStatus): string {
  if (watching)
    return `${counted(watchedFiles, 'file')}; ${dirty ? 'some changes are not indexed yet' : 'all changes are indexed'}`;
  if (reason !== undefined) return `no: ${visibleLine(reason)}`;
  return enabled ? 'not yet' : 'no';
}

function modelText({ embeddingModel = '', embeddedCount = 0, chunkCount }: MemoryStats): string {
  const count =
    embeddedCount >= chunkCount
      ? 'all parts'
      : `${formatNumber(embeddedCount)} of ${formatNumber(chunkCount)} parts so far`;
  return `${visibleLine(embeddingModel)}, ${count}`;
}
