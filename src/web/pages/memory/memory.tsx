import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { BackLink } from '../../components/back-link.tsx';
import { counted } from '../../components/counted.ts';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { memoryStatsQuery } from '../../queries/memory.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import { AddFolderDialog } from './add-folder.tsx';
import { FileParts } from './file-parts.tsx';
import { Folders } from './folders.tsx';
import { IndexedFiles } from './indexed-files.tsx';
import { MemorySettings } from './memory-settings.tsx';
import { MemoryState } from './memory-state.tsx';
import styles from './memory.module.css';
import { SearchForm } from './search-form.tsx';
import { SearchResults } from './search-results.tsx';
import { SyncState } from './sync-state.tsx';

const route = getRouteApi('/memory');

/** The files that chats and agents can search: which they are, how fresh, and what a search finds in them. */
export function MemoryPage() {
  const { q, under, why = false, file, add } = route.useSearch();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const { data: stats, error, isPending, refetch } = useQuery(memoryStatsQuery);
  const isEmpty = stats && stats.roots.length === 0;
  return (
    <Page
      title="Memory"
      back={q === undefined && file !== undefined && <BackLink to="/memory">All files</BackLink>}
      note={stats && `${counted(stats.fileCount, 'file')}, ${counted(stats.chunkCount, 'part')}`}
      actions={
        isAdmin && (
          <Link to="/memory" search={{ add: true }} className="button primary">
            <Icon name="plus" /> Add a folder
          </Link>
        )
      }
      isNarrow
    >
      {error && !stats && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={4} />}
      {stats?.syncing && <SyncState progress={stats.syncing} />}
      {isEmpty && (
        <Empty>
          <p>
            Folders that are indexed can be searched by you, by chats and by agents, with words or a question.
            Nothing leaves this machine unless you choose a provider of embeddings.
          </p>
          {isAdmin ? (
            <Link to="/memory" search={{ add: true }} className="button primary">
              Add the first folder
            </Link>
          ) : (
            <p>No folder is indexed yet. Only an administrator can add one.</p>
          )}
        </Empty>
      )}
      {stats && !isEmpty && (
        <>
          <SearchForm key={`${q} ${under}`} query={q} under={under} isExplained={why} />
          {q !== undefined ? (
            <SearchResults query={q} under={under} isExplained={why} />
          ) : file !== undefined ? (
            <FileParts path={file} />
          ) : (
            <>
              <MemoryState stats={stats} isAdmin={isAdmin} />
              <Folders stats={stats} isAdmin={isAdmin} />
              <IndexedFiles stats={stats} isAdmin={isAdmin} />
            </>
          )}
        </>
      )}
      {isAdmin && q === undefined && file === undefined && (
        <div className={styles['part']}>
          <MemorySettings />
        </div>
      )}
      {add && isAdmin && <AddFolderDialog onClose={() => void navigate({ to: '/memory', search: {} })} />}
    </Page>
  );
}
