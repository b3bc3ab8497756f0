import type { UsageEntry } from '../../../contract/usage.ts';
import { formatUsageCost } from '../../../contract/usage-cost.ts';
import { formatDay } from '../insights/format-day.ts';
import { formatTokens } from '../insights/format-numbers.ts';
import { allDays } from './all-days.ts';
import figures from '../../components/figures.module.css';
import styles from './usage.module.css';

interface DayBarsProps {
  /** The days with usage, in order. */
  days: readonly UsageEntry[];
  from: string;
  to: string;
}

/** A bar for each day, by cost or, where no cost is known, by tokens; and the numbers as a table. */
export function DayBars({ days, from, to }: DayBarsProps) {
  const hasCost = days.some(({ costUsd }) => costUsd > 0);
  const sizeOf = ({ costUsd, inputTokens, outputTokens }: UsageEntry) =>
    hasCost ? costUsd : inputTokens + outputTokens;
  const byDay = new Map(days.map((day) => [day.key, day]));
  const most = Math.max(...days.map(sizeOf), Number.MIN_VALUE);
  const title = hasCost ? 'Cost by day' : 'Tokens by day';
  return (
    <section className={`card ${figures['figures']} ${styles['part']}`} aria-labelledby="usage-days">
      <header>
        <h2 id="usage-days">{title}</h2>
        <span className="muted">Days in UTC</span>
      </header>
      <div className={styles['bars']} aria-hidden>
        {allDays(from, to).map((date) => {
          const day = byDay.get(date);
          const size = day ? sizeOf(day) : 0;
          return (
            <span
              key={date}
              title={day ? `${formatDay(date)}: ${describe(day)}` : formatDay(date)}
              style={{ blockSize: `${size > 0 ? Math.max(2, (size / most) * 100) : 0}%` }}
            />
          );
        })}
      </div>
      <div className={styles['ends']} aria-hidden>
        <span>{formatDay(from)}</span>
        <span>{formatDay(to)}</span>
      </div>
      <details>
        <summary>Show as a table</summary>
        <div className={styles['scroll']} tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">Tokens</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((day) => (
                <tr key={day.key}>
                  <th scope="row">{formatDay(day.key)}</th>
                  <td>{formatTokens(day.inputTokens + day.outputTokens)}</td>
                  <td>{formatUsageCost(day)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

const describe = (day: UsageEntry): string =>
  `${formatUsageCost(day)}, ${formatTokens(day.inputTokens + day.outputTokens)} tokens`;
