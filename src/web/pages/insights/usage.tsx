import { escapeLine } from '../../../contract/escape-text.ts';
import type { TaskAnalytics } from '../../../contract/tasks.ts';
import { formatCost, formatTokens } from './format-numbers.ts';
import figures from '../../components/figures.module.css';
import styles from './insights.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** What models used, by agent and by model. */
export function Usage({ usage: { byAgent, byModel } }: { usage: TaskAnalytics['usage'] }) {
  return (
    <section className={`card ${figures['figures']} ${styles['chart']}`} aria-labelledby="usage">
      <header>
        <h2 id="usage">Tokens and cost</h2>
      </header>
      {byAgent.length === 0 ? (
        <p className={styles['none']}>No agent reported what it used.</p>
      ) : (
        <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Used by agent and model">
          <UsedBy title="Agent" rows={byAgent} />
          <UsedBy title="Model" rows={byModel} />
        </div>
      )}
    </section>
  );
}

const UsedBy = ({ title, rows }: { title: string; rows: TaskAnalytics['usage']['byAgent'] }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">{title}</th>
        <th scope="col">Tasks</th>
        <th scope="col">Tokens</th>
        <th scope="col">Cost</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ name, tasks, tokens, costUsd }) => (
        <tr key={name}>
          <th scope="row">{escapeLine(name) || 'Not reported'}</th>
          <td>{formatNumber(tasks)}</td>
          <td>{formatTokens(tokens)}</td>
          <td>{formatCost(costUsd)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
