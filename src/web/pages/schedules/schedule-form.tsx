import { useState } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { catchUpMeanings, overlapMeanings } from '../../../contract/schedule-policies.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Field, Section } from '../../components/form/field.tsx';
import type { FieldProblems } from '../../components/form/field-problems.ts';
import { Check, Form } from '../../components/form/form.tsx';
import { InitialTaskContext, initialTaskOf } from '../../components/task-fields/initial-task.ts';
import { type InitialMoment, ScheduleFields } from '../../components/task-fields/schedule-fields.tsx';
import { TaskFields } from '../../components/task-fields/task-fields.tsx';
import { useIsAdmin } from '../../queries/use-is-admin.ts';

const newTask = { texts: new Map<string, string>(), agents: [] };

/** All of a schedule: what to do, when, and what happens if that does not work out. */
export function ScheduleForm({
  schedule,
  moment,
  onSubmit,
  onCancel,
}: {
  /** The one to change; a new one unless given. */
  schedule?: Schedule;
  moment?: InitialMoment;
  onSubmit: (data: FormData) => Promise<FieldProblems | undefined>;
  onCancel: () => void;
}) {
  const isAdmin = useIsAdmin();
  const [when, setWhen] = useState<'at' | 'cron'>(schedule && schedule.cron === undefined ? 'at' : 'cron');
  const [initial] = useState(() => (schedule ? initialTaskOf(schedule.task) : newTask));
  const envNames = schedule?.task.envNames ?? [];
  return (
    <InitialTaskContext value={initial}>
      <Form submit={schedule ? 'Save' : 'Create schedule'} onSubmit={onSubmit} onCancel={onCancel}>
        <TaskFields isAdmin={isAdmin}>
          <ScheduleFields when={when} onWhen={setWhen} offered={['cron', 'at']} initial={moment} />
          <Field name="name" label="Name of the schedule" hint="Default: the title.">
            {(control) => <input {...control} defaultValue={ownName(schedule)} maxLength={200} />}
          </Field>
          {!schedule && (
            <Check>
              <input type="checkbox" name="paused" /> Create it paused
            </Check>
          )}
          {schedule && envNames.length > 0 && (
            <p className="muted">
              Variables: {envNames.map(visibleLine).join(', ')}. They stay as they are; to change them in a
              terminal: <code>svc schedules edit {schedule.id} --env NAME</code>
            </p>
          )}
          <PolicyFields schedule={schedule} />
        </TaskFields>
      </Form>
    </InitialTaskContext>
  );
}

/** A name that is not the title of the task. */
const ownName = (schedule: Schedule | undefined) =>
  schedule && schedule.name !== schedule.task.title.slice(0, 200) ? schedule.name : undefined;

function PolicyFields({ schedule }: { schedule: Schedule | undefined }) {
  return (
    <Section title="Overlap, downtime and failures">
      <Field name="overlap" label="If the previous task is not finished">
        {(control) => (
          <select {...control} defaultValue={schedule?.overlap ?? 'skip'}>
            <Meanings of={overlapMeanings} />
          </select>
        )}
      </Field>
      <Field name="catchUp" label="If the daemon was off at the time">
        {(control) => (
          <select {...control} defaultValue={schedule?.catchUp ?? 'run_once'}>
            <Meanings of={catchUpMeanings} />
          </select>
        )}
      </Field>
      <Field name="maxFailures" label="Pause after failures" hint="In a row; 0 never pauses.">
        {(control) => <input {...control} inputMode="numeric" defaultValue={schedule?.maxFailures ?? 5} />}
      </Field>
    </Section>
  );
}

const Meanings = ({ of }: { of: Readonly<Record<string, string>> }) =>
  Object.entries(of).map(([value, meaning]) => (
    <option key={value} value={value}>
      {meaning.charAt(0).toUpperCase() + meaning.slice(1)}
    </option>
  ));
