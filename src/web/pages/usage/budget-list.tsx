import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { BudgetStatus } from '../../../contract/budgets.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import { formatDollars } from '../../../contract/usage-cost.ts';
import { Problem } from '../../components/problem.tsx';
import { formatExact } from '../../components/time.tsx';
import { budgetsQuery } from '../../queries/usage.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import { formatShare, formatTokens } from '../insights/format-numbers.ts';
import figures from '../../components/figures.module.css';
import styles from './usage.module.css';

/** The budgets, with how much of each is used. */
export function BudgetList() {
  const { data, error, refetch } = useQuery(budgetsQuery);
  const isAdmin = useIsAdmin();
  return (
    <section className={`card ${figures['figures']} ${styles['part']}`} aria-labelledby="budgets">
      <header>
        <h2 id="budgets">Budgets</h2>
        {isAdmin && (
          <Link to="/settings/configuration" search={{ q: 'budgets' }}>
            Change
          </Link>
        )}
      </header>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.budgets.length === 0 && <p className="muted">No budget is set.</p>}
      {data && data.budgets.length > 0 && (
        <ul className={styles['budgets']}>
          {data.budgets.map((budget) => (
            <li key={`${budget.name} ${budget.setBy} ${budget.tokens} ${budget.usd}`}>
              <span>{escapeLine(sentence(budget.name.replace(/^the budget of /, '')))}</span>
              <span className={styles['numbers']}>{describe(budget)}</span>
              {budget.share !== undefined && (
                <span className={styles['track']} aria-hidden>
                  <span
                    data-level={budget.share >= 1 ? 'reached' : budget.share >= 0.8 ? 'near' : undefined}
                    style={{ inlineSize: `${Math.min(1, budget.share) * 100}%` }}
                  />
                </span>
              )}
              <span className="muted">
                {budget.onReached === 'ask' ? 'Asks at the limit' : 'Stops at the limit'}
                {budget.resetsAt !== undefined && `, begins again ${formatExact(budget.resetsAt)}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function describe({ tokens, usd, usedTokens, usedUsd, share }: BudgetStatus): string {
  const limits = [
    ...(tokens === undefined
      ? []
      : [
          `${usedTokens === undefined ? '' : `${formatTokens(usedTokens)} of `}${formatTokens(tokens)} tokens`,
        ]),
    ...(usd === undefined
      ? []
      : [`${usedUsd === undefined ? '' : `${formatDollars(usedUsd)} of `}${formatDollars(usd)}`]),
  ].join(', ');
  return share === undefined ? limits : `${limits} (${formatShare(share)})`;
}
