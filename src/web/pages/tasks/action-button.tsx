import { useMutation } from '@tanstack/react-query';
import type { ListedTask } from '../../../contract/task.ts';
import { useIsLimited } from '../../components/limited.tsx';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { queryClient } from '../../queries/query-client.ts';
import { taskActions, type TaskActionName } from './task-actions.ts';

/** The one thing that can be done with a task in its state; waits for the daemon and shows what it says. */
export function ActionButton({
  task,
  onRetried,
  isQuiet = false,
}: {
  task: ListedTask;
  /** Called with the ID of the new task. */
  onRetried?: ((id: string) => void) | undefined;
  isQuiet?: boolean;
}) {
  const isLimited = useIsLimited();
  const isAway = useAway();
  const name: TaskActionName = taskActions.cancel.applies(task) ? 'cancel' : 'retry';
  const act = useMutation({
    mutationFn: (asked: TaskActionName) => taskActions[asked].run(task.id),
    onSuccess: ({ task: answered }, asked) => {
      if (asked === 'retry') onRetried?.(answered.id);
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ['task', task.id] }),
        queryClient.invalidateQueries({ queryKey: ['tasks'] }),
      ]),
  });
  if (isLimited && name === 'retry') return null;
  return (
    <>
      <button
        type="button"
        className={`button ${isQuiet ? 'quiet' : ''} ${name === 'cancel' ? 'danger' : ''}`}
        disabled={isAway || act.isPending}
        onClick={() => act.mutate(name)}
      >
        {taskActions[name].verb}
      </button>
      {act.error && <Problem error={act.error} />}
    </>
  );
}
