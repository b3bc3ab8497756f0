import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { counted } from '../../components/counted.ts';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { Items } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/removal.ts';
import { type ScheduleStatus, schedulesQuery } from '../../queries/schedules.ts';
import { ScheduleItem } from './schedule-item.tsx';
import styles from './schedules.module.css';

const route = getRouteApi('/schedules');
const filters: readonly [status: ScheduleStatus | undefined, label: string][] = [
  [undefined, 'All'],
  ['active', 'Active'],
  ['paused', 'Paused'],
  ['done', 'Done'],
];

/** What creates tasks at set times, soonest first. */
export function SchedulesPage() {
  const { status } = route.useSearch();
  const list = useInfiniteQuery(schedulesQuery(status));
  const removed = useRemoved();
  const all = list.data?.pages.flatMap(({ schedules }) => schedules) ?? [];
  const schedules = all.filter(({ id }) => !removed.has(id));
  const total = list.data?.pages.at(-1)?.total;
  return (
    <Page
      title="Schedules"
      note={total === undefined ? undefined : counted(total, 'schedule')}
      actions={
        <Link to="/schedules/new" className="button primary">
          <Icon name="plus" /> New schedule
        </Link>
      }
      isNarrow
    >
      <div className={styles['filters']} role="group" aria-label="Status">
        {filters.map(([name, label]) => (
          <Link
            key={label}
            to="/schedules"
            search={name ? { status: name } : {}}
            className="chip"
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {label}
          </Link>
        ))}
      </div>
      {list.error && !list.data && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {schedules.length > 0 && (
        <Items label="Schedules">
          {schedules.map((schedule) => (
            <ScheduleItem key={schedule.id} schedule={schedule} />
          ))}
        </Items>
      )}
      {list.hasNextPage && (
        <button
          type="button"
          className={`button ${styles['more']}`}
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </button>
      )}
      {list.isSuccess && schedules.length === 0 && (
        <Empty>
          {status === undefined ? (
            <>
              <p>A schedule creates tasks at set times, such as a check of the backups every night.</p>
              <Link to="/schedules/new" className="button primary">
                Create the first schedule
              </Link>
            </>
          ) : (
            <p>
              No {status} schedules. <Link to="/schedules">Show all</Link>
            </p>
          )}
        </Empty>
      )}
    </Page>
  );
}
