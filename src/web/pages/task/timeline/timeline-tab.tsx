import type { Task } from '../../../../contract/task.ts';
import { Loading } from '../../../components/loading.tsx';
import { Problem } from '../../../components/problem.tsx';
import type { TaskLog } from '../../../live/task-log.ts';
import { useLog } from '../use-task-log.ts';
import { AttemptGroup } from './attempt-group.tsx';
import styles from './timeline.module.css';

/** What happened to a task, in a group for each attempt, of which the newest is open. */
export function TimelineTab({ task, log }: { task: Task; log: TaskLog }) {
  useLog(log, (each) => each.version());
  const { timeline, isComplete, problem } = log;
  const { attempts } = timeline;
  if (attempts.length === 0)
    return problem ? <Problem error={problem} /> : <Loading rows={4} label="Loading the timeline" />;
  return (
    <div className={styles['timeline']}>
      {attempts.map((attempt, at) => (
        <AttemptGroup
          key={attempt.key}
          attempt={attempt}
          version={attempt.version}
          taskId={task.id}
          isNewest={at === attempts.length - 1}
        />
      ))}
      {!isComplete && <Loading rows={1} label="Loading more" />}
    </div>
  );
}
