import { formatNumber } from '../../components/format-number.ts';

/** "1 task", "1,204 tasks". */
export const formatTasks = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'task' : 'tasks'}`;
