import { lazyPart } from '../../components/lazy-part.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Task } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { Icon } from '../../components/icon.tsx';
import { useIsLimited } from '../../components/limited.tsx';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { queryClient } from '../../queries/query-client.ts';
import { taskSessionQuery } from '../../queries/tasks.ts';
import styles from './task.module.css';
import { isFinished } from './task-states.ts';

const MoreActions = lazyPart(() => import('./more-actions.tsx'), 'MoreActions');
const ContinueDialog = lazyPart(() => import('./continue-dialog.tsx'), 'ContinueDialog');

/** What a person can do with a task. Each waits for the daemon. */
export function TaskActions({ task }: { task: Task }) {
  const { id, status, held } = task;
  const isLimited = useIsLimited();
  const navigate = useNavigate();
  const { data: session } = useQuery(taskSessionQuery(id));
  const [isContinuing, setContinuing] = useState(false);
  const isAway = useAway();
  const params = { id };
  const act = useMutation({
    mutationFn: (action: () => Promise<unknown>) => action(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
  const cancel = () => act.mutate(() => client.tasks.cancel({ params }));
  const release = () => act.mutate(() => client.tasks.release({ params }));
  const retry = () =>
    act.mutate(async () => {
      const { task: copy } = await client.tasks.retry({ params });
      await navigate({ to: '/tasks/$id', params: { id: copy.id } });
    });
  const isDisabled = act.isPending || isAway;
  const isOver = isFinished(status);
  return (
    <>
      {held && !isLimited && (
        <button type="button" className="button primary" disabled={isDisabled} onClick={release}>
          <Icon name="play" /> Release
        </button>
      )}
      {isOver && session && !isLimited && (
        <button type="button" className="button" onClick={() => setContinuing(true)}>
          <Icon name="message-square" /> Continue…
        </button>
      )}
      {isOver ? (
        !isLimited && (
          <button type="button" className="button" disabled={isDisabled} onClick={retry}>
            <Icon name="rotate-cw" /> Retry
          </button>
        )
      ) : (
        <button type="button" className="button" disabled={isDisabled} onClick={cancel}>
          <Icon name="square" /> {act.isPending ? 'Cancelling…' : 'Cancel task'}
        </button>
      )}
      <Suspense>
        <MoreActions task={task} />
      </Suspense>
      {act.error && (
        <div className={styles['action-problem']}>
          <Problem error={act.error} />
        </div>
      )}
      <Suspense>
        {isContinuing && <ContinueDialog task={task} onClose={() => setContinuing(false)} />}
      </Suspense>
    </>
  );
}
