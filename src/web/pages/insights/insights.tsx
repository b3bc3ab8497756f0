import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { TaskAnalytics } from '../../../contract/tasks.ts';
import { counted } from '../../components/counted.ts';
import { Empty } from '../../components/empty.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { formatDuration } from '../../components/time.tsx';
import { analyticsQuery } from '../../queries/insights.ts';
import { ApiNow } from './api-now.tsx';
import { DayChart } from './day-chart.tsx';
import { charts } from './day-series.ts';
import { Failures } from './failures.tsx';
import { formatCost, formatShare, formatTokens } from './format-numbers.ts';
import { QueueNow } from './queue-now.tsx';
import { Usage } from './usage.tsx';
import styles from './insights.module.css';
import { formatNumber } from '../../components/format-number.ts';

const route = getRouteApi('/insights');
const ranges = [7, 30, 90, 365] as const;

/** How much was done, how long it took, what failed and what it cost. */
export function InsightsPage() {
  const { days = 30 } = route.useSearch();
  const analytics = useQuery(analyticsQuery(days));
  const { data } = analytics;
  return (
    <Page title="Insights">
      <nav className={styles['ranges']} aria-label="Range">
        {ranges.map((range) => (
          <Link
            key={range}
            to="/insights"
            search={range === 30 ? {} : { days: range }}
            className="chip"
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {range === 365 ? '1 year' : `${range} days`}
          </Link>
        ))}
      </nav>
      {analytics.error && !data && (
        <Problem error={analytics.error} onRetry={() => void analytics.refetch()} />
      )}
      {analytics.isPending && <Loading rows={6} />}
      {data?.total === 0 && (
        <Empty>
          <span>Numbers about your tasks are shown here once the first one has run.</span>
          <Link to="/tasks/new" className="button">
            New task
          </Link>
        </Empty>
      )}
      {data && data.total > 0 && <Numbers data={data} days={days} />}
      <div className={styles['columns']}>
        <QueueNow />
        <ApiNow />
      </div>
    </Page>
  );
}

function Numbers({ data, days }: { data: TaskAnalytics; days: number }) {
  const { daily, duration, failures, usage } = data;
  const sum = (field: 'created' | 'completed' | 'failed' | 'tokens' | 'costUsd') =>
    daily.reduce((total, day) => total + day[field], 0);
  const [completed, failed, tokens, cost] = [sum('completed'), sum('failed'), sum('tokens'), sum('costUsd')];
  const finished = completed + failed;
  return (
    <>
      <dl className={styles['tiles']}>
        <Tile
          name="Completed"
          value={formatNumber(completed)}
          note={`of ${counted(sum('created'), 'new task')}`}
        />
        <Tile
          name="Success"
          value={finished > 0 ? formatShare(completed / finished) : '–'}
          note={`${formatNumber(failed)} failed`}
        />
        <Tile
          name="Median duration"
          value={completed > 0 ? formatDuration(duration.p50) : '–'}
          note={completed > 0 ? `95 % within ${formatDuration(duration.p95)}` : ''}
        />
        <Tile name="Cost" value={formatCost(cost)} note={`${formatTokens(tokens)} tokens`} />
      </dl>
      <div className={styles['columns']}>
        {charts.map((chart) => (
          <DayChart key={chart.title} {...chart} days={daily} />
        ))}
        <Failures failures={failures} days={days} />
        <Usage usage={usage} />
      </div>
      {!usage.isComplete && (
        <p className="muted">
          Tokens and cost are those of the newest {counted(usage.tasks, 'finished task')}.
        </p>
      )}
    </>
  );
}

const Tile = ({ name, value, note }: { name: string; value: string; note: string }) => (
  <div className={`card ${styles['tile']}`}>
    <dt>{name}</dt>
    <dd className={styles['value']}>{value}</dd>
    <dd className="muted">{note}</dd>
  </div>
);
