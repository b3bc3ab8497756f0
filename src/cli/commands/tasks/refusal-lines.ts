import type { Task } from '../../../contract/task.ts';
import { escapeLine } from '../../output/escape-text.ts';

/** One line per refused call of a task, and one for those that its result does not list. */
export function refusalLines({ result }: Pick<Task, 'result'>): string[] {
  const { count = 0, calls = [] } = result?.refusedCalls ?? {};
  const lines = calls.map(({ call, reason, count: times }) =>
    escapeLine(`refused: ${call}${times > 1 ? ` (${times} times)` : ''}: ${reason}`),
  );
  const listed = calls.reduce((sum, { count: times }) => sum + times, 0);
  return count > listed ? [...lines, `refused: ${count - listed} more calls`] : lines;
}
