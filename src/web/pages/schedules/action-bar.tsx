import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { removeSchedule, useActivation, useRunNow } from './schedule-actions.ts';

/** What can be done with a schedule: the buttons, and under the rest what came of them. */
export function useActionBar(
  schedule: Schedule,
  onRemoved?: () => void,
): { buttons: ReactNode; outcome: ReactNode } {
  const { id, status } = schedule;
  const name = visibleLine(schedule.name);
  const isAway = useAway();
  const navigate = useNavigate();
  const activation = useActivation(schedule);
  const runNow = useRunNow(schedule);
  const edit = () => void navigate({ to: '/schedules/$id/edit', params: { id } });
  const isPaused = status === 'paused';
  const error = runNow.error ?? activation.error;
  return {
    buttons: (
      <>
        <button
          type="button"
          className="button"
          aria-label={`Run ${name} now`}
          disabled={isAway || runNow.isPending}
          onClick={() => runNow.mutate()}
        >
          <Icon name="play" /> Run now
        </button>
        {status !== 'done' && (
          <button
            type="button"
            className="button"
            aria-label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}
            disabled={isAway || activation.isPending}
            onClick={() => activation.mutate(isPaused)}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </button>
        )}
        <Menu
          label={`More actions for ${name}`}
          items={[
            { icon: 'pencil', name: 'Edit', run: edit },
            {
              icon: 'trash-2',
              name: 'Delete',
              isDangerous: true,
              run: () => {
                removeSchedule(schedule);
                onRemoved?.();
              },
            },
          ]}
        />
      </>
    ),
    outcome: (error || runNow.data) && (
      <>
        {error && <Problem error={error} />}
        {runNow.data && (
          <p role="status">
            {runNow.data.task ? (
              <>
                The task was created.{' '}
                <Link to="/tasks/$id" params={{ id: runNow.data.task.id }}>
                  Open the task
                </Link>
              </>
            ) : (
              'The run starts once the previous one has finished.'
            )}
          </p>
        )}
      </>
    ),
  };
}
