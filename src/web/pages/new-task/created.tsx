import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { NextRuns } from '../../components/task-fields/next-runs.tsx';
import styles from '../../components/task-fields/task-fields.module.css';

/** What there is to say of something new before a person goes on. */
export type CreatedWork =
  | { taskId: string; warnings: readonly string[] }
  | { schedule: Schedule; warnings: readonly string[] };

export function Created({ created, onAnother }: { created: CreatedWork; onAnother: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { warnings } = created;
  return (
    <div className={styles['created']}>
      <h2 ref={heading} tabIndex={-1}>
        {'taskId' in created ? 'Task created.' : `Schedule “${visibleLine(created.schedule.name)}” created.`}
      </h2>
      {warnings.map((warning) => (
        <p key={warning}>{visibleLine(warning)}</p>
      ))}
      {'schedule' in created && (
        <>
          <NextRuns {...created.schedule} />
          <p className="muted">Its tasks appear among the others.</p>
        </>
      )}
      <div className={styles['buttons']}>
        {'taskId' in created ? (
          <Link className="button primary" to="/tasks/$id" params={{ id: created.taskId }}>
            Open the task
          </Link>
        ) : (
          <Link className="button primary" to="/schedules/$id" params={{ id: created.schedule.id }}>
            Open the schedule
          </Link>
        )}
        <button type="button" className="button" onClick={onAnother}>
          Create another
        </button>
      </div>
    </div>
  );
}
