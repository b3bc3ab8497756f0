import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { IndexedFile, MemoryStats } from '../../../contract/memory.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { counted } from '../../components/counted.ts';
import { Item, Items } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/removal.ts';
import { Ago } from '../../components/time.tsx';
import { useAway } from '../../live/use-away.ts';
import { indexedFilesQuery, refreshMemory } from '../../queries/memory.ts';
import styles from './memory.module.css';
import { fileRemoval, removeFile } from './remove-from-index.ts';

/** The files in the index, by path. */
export function IndexedFiles({ stats: { fileCount }, isAdmin }: { stats: MemoryStats; isAdmin: boolean }) {
  const list = useInfiniteQuery(indexedFilesQuery);
  const removed = useRemoved();
  const isAway = useAway();
  const [isClearing, setClearing] = useState(false);
  const all = list.data?.pages.flatMap(({ files }) => files) ?? [];
  const files = all.filter(({ path }) => !removed.has(fileRemoval(path)));
  return (
    <section className={styles['part']} aria-labelledby="memory-files">
      <div className={styles['head']}>
        <h2 id="memory-files">Files</h2>
        {isAdmin && fileCount > 0 && (
          <button type="button" className="button danger" disabled={isAway} onClick={() => setClearing(true)}>
            Delete the index
          </button>
        )}
      </div>
      {list.error && !list.data && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {files.length > 0 && (
        <Items label="Files">
          {files.map((file) => (
            <FileItem key={file.path} file={file} isAway={isAway} />
          ))}
        </Items>
      )}
      {list.isSuccess && files.length === 0 && (
        <p className="muted">Nothing is indexed now. Sync the folders to index them.</p>
      )}
      {list.hasNextPage && (
        <div>
          <button
            type="button"
            className="button"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </button>
        </div>
      )}
      {isClearing && (
        <ConfirmDialog
          title="Delete the whole index?"
          verb="Delete the index"
          typed="delete all"
          run={() => client.memory.deleteAll().finally(() => void refreshMemory())}
          onClose={() => setClearing(false)}
        >
          <p>
            {counted(fileCount, 'file')} can no longer be searched by anybody until the folders are synced
            again. Your files are not changed.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const FileItem = ({
  file: { path, size, chunkCount, updatedAt },
  isAway,
}: {
  file: IndexedFile;
  isAway: boolean;
}) => (
  <Item
    title={
      <Link to="/memory" search={{ file: path }}>
        {visibleLine(path)}
      </Link>
    }
    note={
      <>
        {sizeText(size)} · {counted(chunkCount, 'part')} · <Ago at={updatedAt} />
      </>
    }
    actions={
      <button
        type="button"
        className="button quiet"
        aria-label={`Remove ${visibleLine(path)} from the index`}
        disabled={isAway}
        onClick={() => removeFile(path)}
      >
        Remove
      </button>
    }
  />
);

const sizeText = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KiB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
