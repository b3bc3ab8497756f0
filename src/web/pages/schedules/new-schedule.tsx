import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ApiError } from '../../../contract/client.ts';
import { client } from '../../client.ts';
import { newKey } from '../../components/idempotency-key.ts';
import { Page } from '../../components/page.tsx';
import { refreshSchedules } from '../../queries/schedules.ts';
import { readNewSchedule } from './read-schedule.ts';
import { Saved, type SavedSchedule } from './saved.tsx';
import { ScheduleForm } from './schedule-form.tsx';

/** Creates one schedule, however often the form is sent. */
export function NewSchedulePage() {
  const navigate = useNavigate();
  const key = useRef<string>(undefined);
  const [saved, setSaved] = useState<SavedSchedule>();
  const create = async (data: FormData) => {
    const read = readNewSchedule(data);
    if ('problems' in read) return read.problems;
    try {
      const headers = { 'idempotency-key': (key.current ??= newKey()) };
      const { schedule, warnings = [] } = await client.schedules.create({ body: read.body, headers });
      await refreshSchedules();
      if (warnings.length > 0) setSaved({ schedule, warnings });
      else await navigate({ to: '/schedules/$id', params: { id: schedule.id } });
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      key.current = newKey();
      const message =
        'An earlier try has created the schedule, with other values. Send it again to create another.';
      return new Map([['prompt', message]]);
    }
  };
  return (
    <Page title="New schedule" isNarrow>
      {saved ? (
        <Saved {...saved} />
      ) : (
        <ScheduleForm onSubmit={create} onCancel={() => void navigate({ to: '/schedules' })} />
      )}
    </Page>
  );
}
