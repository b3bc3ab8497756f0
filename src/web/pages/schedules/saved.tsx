import { Link } from '@tanstack/react-router';
import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import styles from './schedules.module.css';

export interface SavedSchedule {
  schedule: Schedule;
  warnings: readonly string[];
}

/** What the daemon warns of, before a person goes on. */
export const Saved = ({ schedule: { id, name }, warnings }: SavedSchedule) => (
  <div className={styles['part']} role="status">
    <h2>Schedule “{visibleLine(name)}” saved.</h2>
    {warnings.map((warning) => (
      <p key={warning}>{visibleLine(warning)}</p>
    ))}
    <div>
      <Link className="button primary" to="/schedules/$id" params={{ id }}>
        Open the schedule
      </Link>
    </div>
  </div>
);
