import { useQuery } from '@tanstack/react-query';
import { escapeLine } from '../../../contract/escape-text.ts';
import { client } from '../../client.ts';
import { ActButton } from '../../components/act-button.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { inboxQuery } from '../../queries/inbox.ts';
import { queryClient } from '../../queries/query-client.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import { queueQuery } from '../../queries/queue.ts';
import figures from '../../components/figures.module.css';
import styles from './insights.module.css';
import { formatNumber } from '../../components/format-number.ts';

const refresh = () =>
  Promise.all(
    [queueQuery.queryKey, inboxQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );

/** What runs and what waits at this moment; an administrator can hold it. */
export function QueueNow() {
  const { data, error, refetch } = useQuery(queueQuery);
  const isAdmin = useIsAdmin();
  return (
    <section className={`card ${figures['figures']} ${styles['chart']}`} aria-labelledby="queue-now">
      <header>
        <h2 id="queue-now">Queue now</h2>
        {data?.paused && <strong>Paused: nothing new starts</strong>}
        {data && isAdmin && (
          <ActButton run={() => (data.paused ? client.queue.resume() : client.queue.pause()).then(refresh)}>
            {data.paused ? 'Resume the queue' : 'Pause the queue'}
          </ActButton>
        )}
      </header>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Loading />}
      {data && (
        <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Pools">
          <table>
            <thead>
              <tr>
                <th scope="col">Pool</th>
                <th scope="col">Running</th>
                <th scope="col">Waiting</th>
                <th scope="col">Slots</th>
              </tr>
            </thead>
            <tbody>
              {data.pools.map(({ name, running, waiting, slots }) => (
                <tr key={name}>
                  <th scope="row">{poolName(name)}</th>
                  <td>{formatNumber(running)}</td>
                  <td>{formatNumber(waiting)}</td>
                  <td>{formatNumber(slots)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const names: Record<string, string> = {
  tasks: 'Tasks',
  interactive: 'Chats',
  suspects: 'Tasks that may crash svc',
};
const poolName = (name: string): string => names[name] ?? escapeLine(name.replace(/^agent:/, ''));
