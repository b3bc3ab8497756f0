import type { DayChartProps } from './day-series.ts';
import { formatDay } from './format-day.ts';
import styles from './insights.module.css';

/** The values of a chart; days without any are left out. */
export function DayTable({ title, days, series, format }: DayChartProps) {
  const rows = days.filter((day) => series.some(({ of }) => (of(day) ?? 0) > 0)).toReversed();
  return (
    <details>
      <summary>Show as a table</summary>
      <div className={styles['scroll']} tabIndex={0} role="region" aria-label={`${title}, as a table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((day) => (
              <tr key={day.date}>
                <th scope="row">{formatDay(day.date)}</th>
                {series.map(({ name, of }) => {
                  const value = of(day);
                  return <td key={name}>{value === undefined ? '–' : format(value)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
