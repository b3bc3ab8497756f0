const numbers = new Intl.NumberFormat();

/** "1 task", "1,204 tasks". */
export const formatTasks = (count: number): string =>
  `${numbers.format(count)} ${count === 1 ? 'task' : 'tasks'}`;

/** A number of tasks alone. */
export const formatCount = (count: number): string => numbers.format(count);
