import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { escapeLine } from '../../../contract/escape-text.ts';
import type { UsageEntry } from '../../../contract/usage.ts';
import { formatUsageCost } from '../../../contract/usage-cost.ts';
import { formatNumber } from '../../components/format-number.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { usageQuery } from '../../queries/usage.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import { formatTokens } from '../insights/format-numbers.ts';
import { groupWords } from './group-words.ts';
import type { ShownGroup, UsageSearch } from './usage-search.ts';
import figures from '../../components/figures.module.css';
import styles from './usage.module.css';

/** What models used, by what the person chooses. */
export function UsageTable({ by, days }: { by: ShownGroup; days: number }) {
  const { data, error, refetch, isPending } = useQuery(usageQuery(by, days));
  const isAdmin = useIsAdmin();
  const groups = (Object.keys(groupWords) as ShownGroup[]).filter((group) => group !== 'user' || isAdmin);
  return (
    <section className={`card ${figures['figures']} ${styles['part']}`} aria-labelledby="usage-by">
      <header>
        <h2 id="usage-by">
          By {groupWords[by].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}
        </h2>
      </header>
      <nav className={styles['groups']} aria-label="Add up by">
        {groups.map((group) => (
          <Link
            key={group}
            to="/usage"
            search={(search: UsageSearch) => ({ ...search, by: group === 'agent' ? undefined : group })}
            className="chip"
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {groupWords[group]}
          </Link>
        ))}
      </nav>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={4} />}
      {data?.by === by && (
        <div
          className={styles['scroll']}
          tabIndex={0}
          role="region"
          aria-label={`Usage by ${groupWords[by]}`}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">{groupWords[by]}</th>
                <th scope="col">Calls</th>
                <th scope="col">Input</th>
                <th scope="col">Output</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {data.usage.map((entry) => (
                <tr key={entry.key}>
                  <th scope="row">
                    <NameOf by={by} entry={entry} />
                  </th>
                  <td>{formatNumber(entry.calls)}</td>
                  <td>{formatTokens(entry.inputTokens)}</td>
                  <td>{formatTokens(entry.outputTokens)}</td>
                  <td>{formatUsageCost(entry)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {data.total > data.usage.length && (
            <p className="muted">
              {data.usage.length} of {formatNumber(data.total)} are shown; the CSV has all.
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function NameOf({ by, entry: { key, name } }: { by: ShownGroup; entry: UsageEntry }) {
  if (key === '') return <span className="muted">None</span>;
  if (by === 'task' && name !== undefined)
    return (
      <Link to="/tasks/$id" params={{ id: key }}>
        {escapeLine(name)}
      </Link>
    );
  return <>{escapeLine(name ?? key)}</>;
}
