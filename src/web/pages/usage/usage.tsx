import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { formatUsageCost } from '../../../contract/usage-cost.ts';
import { Empty } from '../../components/empty.tsx';
import { formatNumber } from '../../components/format-number.ts';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { firstDay, usageQuery } from '../../queries/usage.ts';
import { formatTokens } from '../insights/format-numbers.ts';
import { BudgetList } from './budget-list.tsx';
import { DayBars } from './day-bars.tsx';
import { UsageTable } from './usage-table.tsx';
import { ranges, type UsageSearch } from './usage-search.ts';
import styles from './usage.module.css';

const route = getRouteApi('/usage');

/** What models used and cost, and how much of the budgets is left. */
export function UsagePage() {
  const search = route.useSearch();
  const { days = 30, by = 'agent' } = search;
  const daily = useQuery(usageQuery('day', days));
  const { data, error } = daily;
  return (
    <Page title="Usage">
      <div className={styles['choices']}>
        <nav aria-label="Period">
          {ranges.map((range) => (
            <Link
              key={range}
              to="/usage"
              search={({ days: _, ...rest }: UsageSearch) => (range === 30 ? rest : { ...rest, days: range })}
              className="chip"
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {range === 365 ? '1 year' : `${range} days`}
            </Link>
          ))}
        </nav>
        <a
          className="button"
          href={`/api/usage/csv?by=${by}&from=${firstDay(days)}`}
          download={`usage-by-${by}.csv`}
        >
          <Icon name="download" /> CSV
        </a>
      </div>
      {error && !data && <Problem error={error} onRetry={() => void daily.refetch()} />}
      {daily.isPending && <Loading rows={6} />}
      {data && data.sum.calls === 0 && (
        <Empty>
          <span>What models use and cost is shown here once one was called.</span>
          <Link to="/tasks/new" className="button">
            New task
          </Link>
        </Empty>
      )}
      {data && data.sum.calls > 0 && (
        <>
          <dl className={styles['tiles']}>
            <Tile name="Cost" value={formatUsageCost(data.sum)} />
            <Tile name="Input tokens" value={formatTokens(data.sum.inputTokens)} />
            <Tile name="Output tokens" value={formatTokens(data.sum.outputTokens)} />
            <Tile name="Calls of models" value={formatNumber(data.sum.calls)} />
          </dl>
          {data.sum.unknownCalls > 0 && (
            <p className="muted">
              The cost of {formatNumber(data.sum.unknownCalls)} calls is not known: their model has no price,
              or their agent does not say what it costs.
            </p>
          )}
          <DayBars days={data.usage} from={data.from} to={data.to} />
          <UsageTable by={by} days={days} />
        </>
      )}
      <BudgetList />
    </Page>
  );
}

const Tile = ({ name, value }: { name: string; value: string }) => (
  <div className={`card ${styles['tile']}`}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
