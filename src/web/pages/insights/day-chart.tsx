import { lazyPart } from '../../components/lazy-part.ts';
import { Suspense, useId } from 'react';
import type { DayChartProps } from './day-series.ts';
import { DayTable } from './day-table.tsx';
import figures from '../../components/figures.module.css';
import styles from './insights.module.css';

// The library that draws is larger than the page.
const Plot = lazyPart(() => import('./plot.tsx'), 'Plot');

/** A chart over days, with its values as a table for who cannot see it or wants the numbers. */
export function DayChart(props: DayChartProps) {
  const { title, series, days } = props;
  const id = useId();
  const isEmpty = !days.some((day) => series.some(({ of }) => (of(day) ?? 0) > 0));
  return (
    <section className={`card ${figures['figures']} ${styles['chart']}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {series.length > 1 && (
          <ul className={styles['legend']} aria-hidden>
            {series.map(({ name, color }) => (
              <li key={name} data-color={color}>
                {name}
              </li>
            ))}
          </ul>
        )}
      </header>
      {isEmpty ? (
        <p className={styles['none']}>Nothing in this period.</p>
      ) : (
        <>
          <Suspense fallback={<div className={styles['plot']} />}>
            <Plot {...props} />
          </Suspense>
          <DayTable {...props} />
        </>
      )}
    </section>
  );
}
