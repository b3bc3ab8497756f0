import { Link } from '@tanstack/react-router';
import type { FailureClass } from '../../../contract/task.ts';
import { failureAdvice } from '../task/failure-advice.ts';
import figures from '../../components/figures.module.css';
import styles from './insights.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** Which failures there were, the most frequent first. */
export function Failures({ failures, days }: { failures: Readonly<Record<string, number>>; days: number }) {
  const entries = Object.entries(failures).toSorted(([, a], [, b]) => b - a);
  const most = entries[0]?.[1] ?? 1;
  return (
    <section className={`card ${figures['figures']} ${styles['chart']}`} aria-labelledby="failures">
      <header>
        <h2 id="failures">Failures by cause</h2>
        <Link to="/tasks" search={{ status: 'failed' }}>
          Failed tasks
        </Link>
      </header>
      {entries.length === 0 ? (
        <p className={styles['none']}>No task failed in the last {days} days.</p>
      ) : (
        <ul className={styles['shares']}>
          {entries.map(([name, count]) => (
            <li key={name}>
              <span>{failureAdvice[name as FailureClass]?.name ?? name}</span>
              <span className={styles['count']}>{formatNumber(count)}</span>
              <span
                className={styles['bar']}
                aria-hidden
                style={{ inlineSize: `${(count / most) * 100}%` }}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
