import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { BackLink } from '../../components/back-link.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/removal.ts';
import { NextRuns } from '../../components/task-fields/next-runs.tsx';
import { scheduleQuery } from '../../queries/schedules.ts';
import { useActionBar } from './action-bar.tsx';
import { ScheduleFacts } from './schedule-facts.tsx';
import { ScheduleRuns } from './schedule-runs.tsx';
import { ScheduleStatus } from './schedule-status.tsx';
import styles from './schedules.module.css';

const route = getRouteApi('/schedules/$id');

/** One schedule: when it runs, what it does, and what came of it. */
export function SchedulePage() {
  const { id } = route.useParams();
  const { data: schedule, error, refetch } = useQuery(scheduleQuery(id));
  const isRemoved = useRemoved().has(id);
  if (schedule && !isRemoved) return <Shown schedule={schedule} />;
  return (
    <Page title="Schedule" back={back} isNarrow>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!schedule && !error && <Loading rows={6} />}
      {isRemoved && <p className="muted">This schedule was deleted.</p>}
    </Page>
  );
}

const back = <BackLink to="/schedules">Schedules</BackLink>;

function Shown({ schedule }: { schedule: Schedule }) {
  const navigate = useNavigate();
  const { buttons, outcome } = useActionBar(schedule, () => void navigate({ to: '/schedules' }));
  const { name, nextRuns, timezone, pausedReason, task } = schedule;
  return (
    <Page
      title={visibleLine(name)}
      back={back}
      note={<ScheduleStatus schedule={schedule} />}
      actions={buttons}
      isNarrow
    >
      {outcome && <div className={styles['outcome']}>{outcome}</div>}
      {pausedReason && <p className="error">{visibleLine(pausedReason)}</p>}
      {nextRuns.length > 0 && <NextRuns nextRuns={nextRuns} timezone={timezone} />}
      <section className={styles['part']} aria-labelledby="schedule-task">
        <h2 id="schedule-task">What it does</h2>
        <p className={styles['prompt']}>{visibleText(task.prompt ?? task.title)}</p>
        <ScheduleFacts schedule={schedule} />
      </section>
      <ScheduleRuns schedule={schedule} />
    </Page>
  );
}
