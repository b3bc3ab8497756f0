import { taskStatusNames } from '../../components/task-statuses.ts';
import type { TaskFilter } from '../../queries/tasks.ts';

/** The search of the URL of the tasks page: what it shows, how, and which task beside it. */
export interface TasksSearch extends TaskFilter {
  view?: 'board';
  peek?: string;
}

/** A text of a search; a number that somebody typed into the address is one, too. */
export const searchText = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') && value !== ''
    ? String(value)
    : undefined;

/** What a search means; what nobody knows is left out. */
export function readTasksSearch(search: Record<string, unknown>): TasksSearch {
  const q = searchText(search['q']);
  const label = searchText(search['label']);
  const agent = searchText(search['agent']);
  const peek = searchText(search['peek']);
  const wanted = searchText(search['status'])?.split(',') ?? [];
  const status = taskStatusNames.filter((name) => wanted.includes(name)).join(',');
  return {
    ...(status && { status }),
    ...(q && { q }),
    ...(label && { label }),
    ...(agent && { agent }),
    ...(search['view'] === 'board' && { view: 'board' }),
    ...(peek && { peek }),
  };
}

/** The part that decides which tasks are shown. */
export const filterOf = ({ status, q, label, agent }: TasksSearch): TaskFilter => ({
  status,
  q,
  label,
  agent,
});

export const isFiltered = ({ status, q, label, agent }: TaskFilter): boolean =>
  [status, q, label, agent].some((value) => value !== undefined);
