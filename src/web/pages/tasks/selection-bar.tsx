import { lazyPart } from '../../components/lazy-part.ts';
import { useMutation } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { ListedTask } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { useIsLimited } from '../../components/limited.tsx';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { conditionsOf, type TaskFilter } from '../../queries/tasks.ts';
import { formatNumber } from '../../components/format-number.ts';
import { formatTasks } from './format-tasks.ts';
import type { Selection } from './selection.ts';
import { taskActions, type TaskActionName } from './task-actions.ts';
import styles from './selection-bar.module.css';

const BulkDialog = lazyPart(() => import('./bulk-dialog.tsx'), 'BulkDialog');

/** More at once would take minutes, and hardly be meant. */
const MOST = 1000;
const PAGE = 500;

/** What can be done with the selected tasks. */
export function SelectionBar({
  selection,
  filter,
  total,
}: {
  selection: Selection;
  filter: TaskFilter;
  total: number;
}) {
  const [asked, setAsked] = useState<TaskActionName>();
  const isLimited = useIsLimited();
  const isAway = useAway();
  const selectAll = useMutation({ mutationFn: () => readMany(filter), onSuccess: selection.set });
  const tasks = [...selection.tasks.values()];
  const fitting = (name: TaskActionName) => tasks.filter(taskActions[name].applies);
  if (tasks.length === 0 && !asked) return null;
  return (
    <div className={styles['bar']} role="region" aria-label="Selected tasks">
      <span role="status">{formatTasks(tasks.length)} selected</span>
      {(Object.keys(taskActions) as TaskActionName[])
        .filter((name) => fitting(name).length > 0 && (name === 'cancel' || !isLimited))
        .map((name) => (
          <button
            key={name}
            type="button"
            className="button"
            disabled={isAway}
            onClick={() => setAsked(name)}
          >
            {taskActions[name].verb} {formatNumber(fitting(name).length)}
          </button>
        ))}
      {tasks.length < Math.min(total, MOST) && (
        <button
          type="button"
          className="button quiet"
          disabled={selectAll.isPending}
          onClick={() => selectAll.mutate()}
        >
          {total > MOST ? `Select the newest ${formatNumber(MOST)}` : `Select all ${formatNumber(total)}`}
        </button>
      )}
      <button type="button" className="button quiet" onClick={() => selection.set([])}>
        Clear
      </button>
      {selectAll.error && <Problem error={selectAll.error} />}
      <Suspense>
        {asked && (
          <BulkDialog
            name={asked}
            tasks={fitting(asked)}
            onClose={(done) => {
              setAsked(undefined);
              selection.set([...selection.tasks.values()].filter(({ id }) => !done.has(id)));
            }}
          />
        )}
      </Suspense>
    </div>
  );
}

/** The newest tasks that match. */
async function readMany(filter: TaskFilter): Promise<ListedTask[]> {
  const found: ListedTask[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.tasks.filter({
      query: {
        ...conditionsOf(filter),
        ...(cursor && { cursor }),
        fields: 'id,title,status',
        limit: PAGE,
      },
    });
    found.push(...page.tasks);
    cursor = page.nextCursor;
  } while (cursor && found.length < MOST);
  return found.slice(0, MOST);
}
