import { useQuery } from '@tanstack/react-query';
import type { ChunkExplanation, MemoryStats } from '../../../contract/memory.ts';
import { queryWords } from '../../../contract/find-words.ts';
import { methodMeanings } from '../../../contract/search-method-words.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Facts } from '../../components/facts.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { memoryReasonsQuery, memorySearchQuery, memoryStatsQuery } from '../../queries/memory.ts';
import { FoundChunk } from './found-chunk.tsx';
import styles from './memory.module.css';

interface SearchProps {
  query: string;
  under: string | undefined;
}

/** What a search finds, the best first; with how each score came about, where that is asked. */
export const SearchResults = ({ isExplained, ...search }: SearchProps & { isExplained: boolean }) =>
  isExplained ? <Explained {...search} /> : <Found {...search} />;

function Found({ query, under }: SearchProps) {
  const { data, error, isPending, refetch } = useQuery(memorySearchQuery(query, under));
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading rows={5} />;
  return (
    <Results
      query={query}
      results={data.chunks.map((chunk) => ({ chunk }))}
      notes={[
        data.autoSynced && 'Changed files were indexed again for this search.',
        data.stale && 'Files may have changed since they were indexed. Sync the folders to update the index.',
        data.reason && visibleLine(data.reason),
      ]}
    />
  );
}

function Explained({ query, under }: SearchProps) {
  const { data, error, isPending, refetch } = useQuery(memoryReasonsQuery(query, under));
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading rows={5} />;
  const { method, formula, words, leftOut, reason } = data;
  return (
    <>
      <section className={styles['part']} aria-label="How the scores are computed">
        <Facts
          facts={[
            ['Method', methodMeanings[method] ?? method],
            ['Words', words.map(visibleLine).join(', ') || 'none'],
            ['Ignored', leftOut.map(visibleLine).join(', ')],
            ['Score', formula],
          ]}
        />
      </section>
      <Results query={query} results={data.results} notes={[reason && visibleLine(reason)]} />
    </>
  );
}

function Results({
  query,
  results,
  notes,
}: {
  query: string;
  results: readonly ChunkExplanation[];
  notes: readonly (string | false | undefined)[];
}) {
  const { data: stats } = useQuery(memoryStatsQuery);
  const words = queryWords(query);
  return (
    <section className={styles['part']} aria-label="Results">
      {results.length > 0 ? (
        <ol className={styles['results']} aria-label="Results">
          {results.map((result) => (
            <FoundChunk key={result.chunk.id} result={result} words={words} />
          ))}
        </ol>
      ) : (
        <p role="status">{nothingText(stats)}</p>
      )}
      {notes
        .filter((note) => typeof note === 'string')
        .map((note) => (
          <p key={note} className="muted">
            {note}
          </p>
        ))}
    </section>
  );
}

function nothingText(stats: MemoryStats | undefined): string {
  if (stats?.syncing) return 'Nothing found yet: a sync is in progress.';
  if (stats?.fileCount === 0) return 'Nothing is indexed now. Sync the folders to index them.';
  return 'Nothing found. Try other words, or any path.';
}
