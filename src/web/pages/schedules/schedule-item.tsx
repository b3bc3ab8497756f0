import { Link } from '@tanstack/react-router';
import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Item } from '../../components/items.tsx';
import { Ago } from '../../components/time.tsx';
import { useActionBar } from './action-bar.tsx';
import { LastRun } from './last-run.tsx';
import { ScheduleStatus } from './schedule-status.tsx';
import styles from './schedules.module.css';
import { WhenText } from './when-text.tsx';

/** One schedule in the list. */
export function ScheduleItem({ schedule }: { schedule: Schedule }) {
  const { id, name, nextRunAt, status, pausedReason, lastTaskId } = schedule;
  const { buttons, outcome } = useActionBar(schedule);
  return (
    <Item
      title={
        <Link to="/schedules/$id" params={{ id }}>
          {visibleLine(name)}
        </Link>
      }
      badge={status !== 'active' && <ScheduleStatus schedule={schedule} />}
      note={
        <>
          <div>
            <WhenText schedule={schedule} />
          </div>
          {pausedReason && <div className="error">{visibleLine(pausedReason)}</div>}
          <div className={styles['times']}>
            {nextRunAt && (
              <span>
                Next <Ago at={nextRunAt} />
              </span>
            )}
            <span className={styles['last']}>
              {lastTaskId && 'Last'} <LastRun schedule={schedule} />
            </span>
          </div>
        </>
      }
      actions={buttons}
    >
      {outcome}
    </Item>
  );
}
