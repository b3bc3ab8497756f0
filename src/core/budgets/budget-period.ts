import type { Budget } from '../../contract/budgets.ts';

type Period = Budget['period'];

/** The first day of the period that a day is in; empty for a run, whose days all count. */
export function startOf(period: Period, day: string): string {
  if (period === 'run') return '';
  return period === 'day' ? day : `${day.slice(0, 7)}-01`;
}

/** When the next period begins, in epoch milliseconds; undefined for a run. */
export function nextStart(period: Period, day: string): number | undefined {
  if (period === 'run') return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return period === 'day' ? Date.UTC(year, month - 1, date + 1) : Date.UTC(year, month, 1);
}
