import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { counted } from '../../components/counted.ts';
import { Empty } from '../../components/empty.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { type DeadLetterStatus, deadLetterPagesQuery } from '../../queries/dead-letters.ts';
import { DeadLetterCard } from './dead-letter-card.tsx';
import { DeadLetterSelection } from './dead-letter-selection.tsx';
import { useChosen } from './use-chosen.ts';
import styles from './dead-letters.module.css';
import { formatNumber } from '../../components/format-number.ts';

const route = getRouteApi('/dead-letters');
const filters: [status: DeadLetterStatus, label: string][] = [
  ['pending', 'Pending'],
  ['resolved', 'Resolved'],
  ['discarded', 'Discarded'],
  ['all', 'All'],
];

/** Tasks that exhausted their attempts, one by one or many at once. */
export function DeadLettersPage() {
  const { status = 'pending' } = route.useSearch();
  const list = useInfiniteQuery(deadLetterPagesQuery(status));
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const total = list.data?.pages.at(-1)?.total;
  const { chosen, toggle, set } = useChosen(status);
  return (
    <Page title="Dead letters" note={total === undefined ? undefined : counted(total, 'task')} isNarrow>
      <div className={styles['filters']} role="group" aria-label="Status">
        {filters.map(([name, label]) => (
          <Link
            key={name}
            to="/dead-letters"
            search={name === 'pending' ? {} : { status: name }}
            className="chip"
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {label}
          </Link>
        ))}
      </div>
      {status === 'pending' && <DeadLetterSelection chosen={chosen} set={set} total={total ?? 0} />}
      {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      <div className={styles['list']}>
        {items.map((item) => (
          <DeadLetterCard
            key={item.id}
            item={item}
            level={2}
            {...(status === 'pending' && { isChosen: chosen.has(item.id), onChoose: toggle })}
          />
        ))}
      </div>
      {list.hasNextPage && total !== undefined && (
        <p className={styles['more']}>
          <button
            type="button"
            className="button"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </button>
          <span className="muted">
            {formatNumber(items.length)} of {formatNumber(total)}
          </span>
        </p>
      )}
      {list.isSuccess && items.length === 0 && (
        <Empty>
          {status === 'pending' || status === 'all'
            ? 'Tasks that exhaust their attempts are kept here until you retry, resolve or discard them.'
            : `No task is ${status}.`}
        </Empty>
      )}
    </Page>
  );
}
