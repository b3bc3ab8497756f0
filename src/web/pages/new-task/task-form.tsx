import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type SyntheticEvent, useRef, useState } from 'react';
import { ApiError } from '../../../contract/client.ts';
import { Problems } from '../../components/form/field.tsx';
import { type FieldProblems, fieldProblems } from '../../components/form/field-problems.ts';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import type { CreatedWork } from './created.tsx';
import { readForm } from '../../components/task-fields/read-task.ts';
import { ScheduleFields, type When } from '../../components/task-fields/schedule-fields.tsx';
import { useCreate } from './use-create.ts';
import { useFirstProblem } from '../../components/form/use-first-problem.ts';
import { TaskFields } from '../../components/task-fields/task-fields.tsx';
import styles from '../../components/form/form.module.css';

const none: FieldProblems = new Map();

/** Everything that `svc run` takes, with the same defaults. */
export function TaskForm({ onCreated }: { onCreated: (created: CreatedWork) => void }) {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const isAway = useAway();
  const form = useRef<HTMLFormElement>(null);
  const [when, setWhen] = useState<When>('now');
  const [own, setOwn] = useState(none);
  const create = useCreate((created) => {
    const isSilent = 'taskId' in created && created.warnings.length === 0;
    if (isSilent) void navigate({ to: '/tasks/$id', params: { id: created.taskId } });
    else onCreated(created);
  });
  const isField = (name: string) => Boolean(form.current?.elements.namedItem(name));
  const found = fieldProblems(create.error, isField);
  const problems = own.size > 0 ? own : found.problems;
  const noun = when === 'now' ? 'task' : 'schedule';
  const isConflict = create.error instanceof ApiError && create.error.status === 409;

  useFirstProblem(form, own, create.error);

  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const request = readForm(new FormData(event.currentTarget));
    create.reset();
    setOwn('problems' in request ? request.problems : none);
    if (!('problems' in request)) create.send(request);
  };
  const createAnother = () => {
    create.renewKey();
    form.current?.requestSubmit();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
  };
  return (
    <Problems value={problems}>
      <form ref={form} className={styles['form']} noValidate onSubmit={submit} onKeyDown={onKeyDown}>
        <TaskFields isAdmin={isAdmin}>
          <ScheduleFields when={when} onWhen={setWhen} offered={['now', 'at', 'cron']} />
        </TaskFields>
        {create.error && !found.isComplete && <Problem error={create.error} />}
        {isConflict && (
          <div className={styles['buttons']}>
            <span>An earlier try has created the {noun}, with other values.</span>
            <Link to={when === 'now' ? '/tasks' : '/schedules'} className="button">
              Show the {noun}s
            </Link>
            <button type="button" className="button" onClick={createAnother}>
              Create another {noun}
            </button>
          </div>
        )}
        <div className={styles['buttons']}>
          <button className="button primary" disabled={isAway || create.isPending}>
            Create {noun}
          </button>
          <Link to="/tasks" className="button quiet">
            Cancel
          </Link>
          <span className="muted" role="status">
            {isAway ? 'Reconnecting…' : problems.size > 0 && 'Check the marked fields.'}
          </span>
        </div>
      </form>
    </Problems>
  );
}
