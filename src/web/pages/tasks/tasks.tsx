import { lazyPart } from '../../components/lazy-part.ts';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { type MouseEvent, Suspense, useCallback, useMemo } from 'react';
import { Icon } from '../../components/icon.tsx';
import { UnlessLimited } from '../../components/limited.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { useMedia } from '../../components/use-media.ts';
import { FilterBar } from './filter-bar.tsx';
import { ListView } from './list-view.tsx';
import { filterOf, readTasksSearch } from './tasks-search.ts';
import { Total } from './total.tsx';
import styles from './tasks.module.css';

const Board = lazyPart(() => import('./board.tsx'), 'Board');
const Peek = lazyPart(() => import('./peek.tsx'), 'Peek');
const route = getRouteApi('/tasks');

/** All tasks as a list or a board, and one of them beside it. The URL says which, so that a link shows the same. */
export function TasksPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const router = useRouter();
  const isWide = useMedia('(width >= 64rem)');
  const { status, q, label, agent, view, peek } = search;
  const filter = useMemo(() => filterOf({ status, q, label, agent }), [status, q, label, agent]);

  const show = useCallback(
    (id: string | undefined, replace = false) =>
      void navigate({
        search: (old) => readTasksSearch({ ...old, peek: id }),
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  const onOpen = useCallback(
    (event: MouseEvent, id: string) => {
      const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      // On a phone there is no room beside the list. What is open already opens as a page.
      const { search: now } = router.state.location;
      if (!isPlain || !matchMedia('(width >= 64rem)').matches || ('peek' in now && now.peek === id)) return;
      event.preventDefault();
      show(id);
    },
    [router, show],
  );
  const isCovered = peek !== undefined && !isWide;
  const shared = {
    filter,
    peek,
    onOpen,
    onMove: (id: string) => {
      if (peek && isWide) show(id, true);
    },
    onClose: () => {
      if (peek) show(undefined);
    },
  };
  return (
    <Page
      title="Tasks"
      note={view !== 'board' && <Total filter={filter} />}
      className={styles['page']}
      actions={<Actions />}
    >
      {!isCovered && <FilterBar />}
      <div className={styles['split']} data-peek={peek ? true : undefined}>
        <div className={styles['main']} inert={isCovered}>
          {view === 'board' ? (
            <Suspense fallback={<Loading rows={6} />}>
              <Board {...shared} />
            </Suspense>
          ) : (
            <ListView key={JSON.stringify(filter)} {...shared} />
          )}
        </div>
        {peek && (
          <Suspense fallback={<Loading rows={6} />}>
            <Peek key={peek} id={peek} isAlone={!isWide} onClose={() => show(undefined)} onShow={show} />
          </Suspense>
        )}
      </div>
    </Page>
  );
}

const exactly = { exact: true };

function Actions() {
  return (
    <>
      <div className={styles['views']} role="group" aria-label="View">
        <Link
          to="/tasks"
          search={(old) => readTasksSearch({ ...old, view: undefined })}
          className="button quiet"
          activeOptions={exactly}
        >
          <Icon name="rows-3" />
          <span>List</span>
        </Link>
        <Link
          to="/tasks"
          search={(old) => readTasksSearch({ ...old, status: undefined, view: 'board' })}
          className="button quiet"
          activeOptions={exactly}
        >
          <Icon name="columns-3" />
          <span>Board</span>
        </Link>
      </div>
      <UnlessLimited>
        <Link to="/tasks/new" className="button primary" aria-keyshortcuts="c" title="New task (c)">
          <Icon name="plus" />
          New task
        </Link>
      </UnlessLimited>
    </>
  );
}
