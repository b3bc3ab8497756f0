import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../contract/client.ts';
import type { ListedTask } from '../../../contract/task.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Dialog } from '../../components/dialog.tsx';
import { problemText } from '../../components/problem.tsx';
import { queryClient } from '../../queries/query-client.ts';
import { formatTasks } from './format-tasks.ts';
import { taskActions, type TaskActionName } from './task-actions.ts';
import styles from './selection-bar.module.css';

interface Failure {
  task: ListedTask;
  message: string;
}
interface Report {
  done: number;
  failures: readonly Failure[];
  isOver: boolean;
}

/** Asks whether to do something with many tasks, does it one after the other, and says what came of it. */
export function BulkDialog({
  name,
  tasks: given,
  onClose,
}: {
  name: TaskActionName;
  tasks: readonly ListedTask[];
  /** Called with the tasks that it was done with. */
  onClose: (done: ReadonlySet<string>) => void;
}) {
  // What changes meanwhile is reported as a failure, not left out.
  const [tasks] = useState(given);
  const [report, setReport] = useState<Report>();
  const finished = useRef(new Set<string>());
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const { verb, done, meaning, run } = taskActions[name];
  const all = formatTasks(tasks.length);

  const start = async () => {
    const stop = new AbortController();
    stopping.current = stop;
    const failures: Failure[] = [];
    const show = (isOver: boolean) =>
      setReport({ done: finished.current.size, failures: [...failures], isOver });
    show(false);
    for (const task of tasks) {
      if (stop.signal.aborted) break;
      try {
        await run(task.id);
        finished.current.add(task.id);
      } catch (error) {
        failures.push({ task, message: problemText(error) });
        // Without the daemon the rest would fail the same way.
        if (!(error instanceof ApiError)) stop.abort();
      }
      show(false);
    }
    show(true);
    void queryClient.invalidateQueries({ queryKey: ['tasks'] });
  };
  const close = () => {
    stopping.current?.abort();
    onClose(finished.current);
  };

  if (!report)
    return (
      <Dialog title={`${verb} ${all}?`} onClose={close}>
        <p>{meaning}</p>
        <div className={styles['buttons']}>
          <button type="button" className="button" onClick={close}>
            Back
          </button>
          <button
            type="button"
            className={`button ${name === 'cancel' ? 'danger' : 'primary'}`}
            onClick={() => void start()}
          >
            {verb} {all}
          </button>
        </div>
      </Dialog>
    );
  const untried = tasks.length - report.done - report.failures.length;
  return (
    <Dialog title={`${verb} ${all}`} onClose={close}>
      <progress max={tasks.length} value={tasks.length - untried} aria-label={`${verb} ${all}`} />
      <p role="status">
        {report.done} of {tasks.length} {done}.
        {report.failures.length > 0 && ` ${report.failures.length} failed.`}
        {report.isOver && untried > 0 && ` ${untried} not tried.`}
      </p>
      {report.failures.length > 0 && (
        <ul className={styles['failures']} tabIndex={0} aria-label="Failures">
          {report.failures.map(({ task, message }) => (
            <li key={task.id}>
              <strong>{visibleLine(task.title ?? task.id)}</strong> {message}
            </li>
          ))}
        </ul>
      )}
      <div className={styles['buttons']}>
        <button
          type="button"
          className="button"
          onClick={report.isOver ? close : () => stopping.current?.abort()}
        >
          {report.isOver ? 'Close' : 'Stop'}
        </button>
      </div>
    </Dialog>
  );
}
