import type { TaskAnalytics } from '../../../contract/tasks.ts';
import { formatDuration } from '../../components/time.tsx';
import { formatCost, formatTokens } from './format-numbers.ts';
import { formatNumber } from '../../components/format-number.ts';

/** What is known of one day. */
export type Day = TaskAnalytics['daily'][number];

/** Values of each day; those of bars are stacked. */
export interface DaySeries {
  name: string;
  /** A token of the style sheet. */
  color: 'accent' | 'danger' | 'text-muted';
  of: (day: Day) => number | undefined;
}

/** A chart over days. */
export interface DayChartProps {
  title: string;
  kind: 'bars' | 'lines';
  /** Whether its values are whole numbers. */
  isWhole?: boolean;
  days: readonly Day[];
  series: readonly DaySeries[];
  format: (value: number) => string;
}

/** The charts of the page. */
export const charts: readonly Omit<DayChartProps, 'days'>[] = [
  {
    title: 'Tasks per day',
    kind: 'bars',
    isWhole: true,
    format: formatNumber,
    series: [
      { name: 'Completed', color: 'accent', of: ({ completed }) => completed },
      { name: 'Failed', color: 'danger', of: ({ failed }) => failed },
    ],
  },
  {
    title: 'Duration of completed tasks',
    kind: 'lines',
    format: formatDuration,
    series: [
      { name: 'Median', color: 'accent', of: ({ p50 }) => p50 },
      { name: '95th percentile', color: 'text-muted', of: ({ p95 }) => p95 },
    ],
  },
  {
    title: 'Tokens per day',
    kind: 'bars',
    isWhole: true,
    format: formatTokens,
    series: [{ name: 'Tokens', color: 'accent', of: ({ tokens }) => tokens }],
  },
  {
    title: 'Cost per day',
    kind: 'bars',
    format: formatCost,
    series: [{ name: 'Cost', color: 'accent', of: ({ costUsd }) => costUsd }],
  },
];
