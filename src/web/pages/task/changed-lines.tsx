import { useInfiniteQuery } from '@tanstack/react-query';
import { escapeLine } from '../../../contract/escape-text.ts';
import type { ChangedFileEntry } from '../../../contract/changes.ts';
import { DiffRows } from '../../components/diff-rows.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { filePatchQuery } from '../../queries/changes.ts';
import styles from './task.module.css';

/** The lines of one changed file, read when they are first seen; those of a large change part by part. */
export function ChangedLines({
  id,
  file,
  everyMs,
}: {
  id: string;
  file: ChangedFileEntry;
  everyMs: number | false;
}) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...filePatchQuery(id, file.path),
    refetchInterval: everyMs,
  });
  const name = escapeLine(file.path);
  if (!data)
    return error ? (
      <Problem error={error} onRetry={() => void refetch()} />
    ) : (
      <Loading rows={2} label={`Loading the lines of ${name}`} />
    );
  const patch = data.pages.map((page) => page.patch ?? '').join('');
  const size = data.pages.at(-1)?.size ?? 0;
  return (
    <>
      <DiffRows patch={patch} label={`Lines of ${name}`} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {hasNextPage && (
        <p className={styles['more-lines']}>
          {Math.floor((patch.length / size) * 100)} % of this change is loaded.
          <button
            type="button"
            className="button"
            disabled={isFetchingNextPage}
            aria-label={`Load more of ${name}`}
            onClick={() => void fetchNextPage()}
          >
            Load more
          </button>
        </p>
      )}
    </>
  );
}
