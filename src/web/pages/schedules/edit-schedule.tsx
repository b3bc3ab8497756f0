import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { putSchedule, refreshSchedules, scheduleQuery } from '../../queries/schedules.ts';
import { momentOf, readChange } from './read-schedule.ts';
import { Saved, type SavedSchedule } from './saved.tsx';
import { ScheduleForm } from './schedule-form.tsx';

const route = getRouteApi('/schedules/$id/edit');

/** Changes a schedule. */
export function EditSchedulePage() {
  const { id } = route.useParams();
  const { data: schedule, error, refetch } = useQuery(scheduleQuery(id));
  return (
    <Page title={schedule ? `Edit ${visibleLine(schedule.name)}` : 'Edit schedule'} isNarrow>
      {error && !schedule && <Problem error={error} onRetry={() => void refetch()} />}
      {!schedule && !error && <Loading rows={6} />}
      {schedule && <Edit key={id} current={schedule} />}
    </Page>
  );
}

function Edit({ current }: { current: Schedule }) {
  const navigate = useNavigate();
  // What is read meanwhile must not change what somebody is typing.
  const [schedule] = useState(current);
  const [moment] = useState(() => momentOf(schedule));
  const [saved, setSaved] = useState<SavedSchedule>();
  const { id } = schedule;
  const leave = () => navigate({ to: '/schedules/$id', params: { id } });
  const save = async (data: FormData) => {
    const read = readChange(data, schedule, moment);
    if ('problems' in read) return read.problems;
    const { schedule: now, warnings = [] } = await client.schedules.update({
      params: { id },
      body: read.body,
    });
    putSchedule(now);
    await refreshSchedules();
    if (warnings.length > 0) setSaved({ schedule: now, warnings });
    else await leave();
    return undefined;
  };
  if (saved) return <Saved {...saved} />;
  return <ScheduleForm schedule={schedule} moment={moment} onSubmit={save} onCancel={() => void leave()} />;
}
