import { useInfiniteQuery } from '@tanstack/react-query';
import type { Schedule } from '../../../contract/schedules.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { TaskRow } from '../../components/task-row.tsx';
import { scheduleRunsQuery } from '../../queries/schedules.ts';
import styles from './schedules.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** The tasks that a schedule has created, newest first. */
export function ScheduleRuns({ schedule: { id } }: { schedule: Schedule }) {
  const runs = useInfiniteQuery(scheduleRunsQuery(id));
  const tasks = runs.data?.pages.flatMap((page) => page.tasks) ?? [];
  const total = runs.data?.pages.at(-1)?.total ?? 0;
  return (
    <section className={styles['part']} aria-labelledby="schedule-runs">
      <h2 id="schedule-runs">
        Its tasks {total > 0 && <span className="muted">{formatNumber(total)}</span>}
      </h2>
      {runs.error && !runs.data && <Problem error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.isPending && <Loading />}
      {tasks.length > 0 && (
        <ul className={`card ${styles['runs']}`} aria-labelledby="schedule-runs">
          {tasks.map((task) => (
            <li key={task.id}>
              <TaskRow task={task} />
            </li>
          ))}
        </ul>
      )}
      {runs.hasNextPage && (
        <div>
          <button
            type="button"
            className="button"
            disabled={runs.isFetchingNextPage}
            onClick={() => void runs.fetchNextPage()}
          >
            Show more
          </button>
        </div>
      )}
      {runs.isSuccess && tasks.length === 0 && (
        <p className="muted">The tasks that it creates are listed here.</p>
      )}
    </section>
  );
}
