import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useSelection } from './selection.ts';
import { useFirstBlock } from './task-blocks.ts';
import { TaskList, type TaskListProps } from './task-list.tsx';
import { isFiltered } from './tasks-search.ts';

/** The list of one filter with what is selected in it. */
export function ListView({ filter, ...props }: Omit<TaskListProps, 'total' | 'selection'>) {
  const selection = useSelection();
  const { data, error, refetch } = useFirstBlock(filter);
  const close = () => {
    if (props.peek === undefined) selection.set([]);
    props.onClose();
  };
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading rows={12} />;
  if (data.total === 0) return <NoTasks isFiltered={isFiltered(filter)} />;
  return (
    <>
      <TaskList {...props} onClose={close} filter={filter} total={data.total} selection={selection} />
      <SelectionBar selection={selection} filter={filter} total={data.total} />
    </>
  );
}

function NoTasks({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty>
        <p>No task matches this filter.</p>
        <Link to="/tasks" search={{}} className="button">
          Clear the filter
        </Link>
      </Empty>
    );
  return (
    <Empty>
      <p>There are no tasks yet. A task is something that an agent does for you, and reports here.</p>
      <Link to="/tasks/new" className="button primary">
        Create a task
      </Link>
      <p>
        Or in a terminal: <code>svc run "what to do"</code>
      </p>
    </Empty>
  );
}
