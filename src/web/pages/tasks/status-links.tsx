import { Link } from '@tanstack/react-router';
import { readTasksSearch, type TasksSearch } from './tasks-search.ts';
import type { SavedFilter } from './saved-filters.ts';
import { readSaved, searchOf } from './saved-filters.ts';
import styles from './filter-bar.module.css';

const groups = [
  { name: 'All', status: undefined },
  { name: 'Waiting', status: 'pending,queued' },
  { name: 'Running', status: 'in_progress' },
  { name: 'Completed', status: 'completed' },
  { name: 'Failed', status: 'failed' },
  { name: 'Cancelled', status: 'cancelled' },
] as const;

/** The router marks a link whose search is the current one; without this also one whose search is a part of it. */
const exactly = { exact: true };

/** The states, and the filters of this person, as links. */
export function StatusLinks({ search, saved }: { search: TasksSearch; saved: readonly SavedFilter[] }) {
  const chosen = search.status?.split(',') ?? [];
  const own = searchOf(search);
  const isCurrent = (status: string | undefined) =>
    status ? status.split(',').every((each) => chosen.includes(each)) : chosen.length === 0;
  return (
    <ul className={styles['links']} aria-label="Filters">
      {search.view !== 'board' &&
        groups.map(({ name, status }) => (
          <li key={name}>
            <Link
              to="/tasks"
              search={(old) => readTasksSearch({ ...old, status })}
              className="chip"
              aria-current={isCurrent(status) ? 'true' : undefined}
              activeOptions={exactly}
              resetScroll={false}
            >
              {name}
            </Link>
          </li>
        ))}
      {saved.map(({ name, search: wanted }) => (
        <li key={name} data-saved>
          <Link
            to="/tasks"
            search={() => ({ ...readSaved(wanted), ...(search.peek && { peek: search.peek }) })}
            className="chip"
            aria-current={own === wanted ? 'true' : undefined}
            activeOptions={exactly}
            resetScroll={false}
          >
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
