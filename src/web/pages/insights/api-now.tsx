import { useQuery } from '@tanstack/react-query';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { formatDuration } from '../../components/time.tsx';
import { metricsQuery } from '../../queries/insights.ts';
import { formatShare } from './format-numbers.ts';
import figures from '../../components/figures.module.css';
import styles from './insights.module.css';
import { formatNumber } from '../../components/format-number.ts';

const SHOWN = 5;

/** How the daemon answers, with the slowest routes. */
export function ApiNow() {
  const { data, error, refetch } = useQuery(metricsQuery);
  const slowest = (data?.endpoints ?? []).toSorted((a, b) => b.p95 - a.p95).slice(0, SHOWN);
  return (
    <section className={`card ${figures['figures']} ${styles['chart']}`} aria-labelledby="api-now">
      <header>
        <h2 id="api-now">Requests to the daemon</h2>
        {data && (
          <span className="muted">
            {formatNumber(data.requests.total)} since it started, {formatShare(data.errors.rate)} errors
          </span>
        )}
      </header>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Loading />}
      {slowest.length > 0 && (
        <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Slowest routes">
          <table>
            <thead>
              <tr>
                <th scope="col">Slowest routes</th>
                <th scope="col">Requests</th>
                <th scope="col">Median</th>
                <th scope="col">95 %</th>
              </tr>
            </thead>
            <tbody>
              {slowest.map(({ method, route, count, p50, p95 }) => (
                <tr key={`${method} ${route}`}>
                  <th scope="row">
                    <code>
                      {method} {route}
                    </code>
                  </th>
                  <td>{formatNumber(count)}</td>
                  <td>{formatDuration(p50)}</td>
                  <td>{formatDuration(p95)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
