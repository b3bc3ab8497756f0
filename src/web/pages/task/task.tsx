import { lazyPart } from '../../components/lazy-part.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ApiError } from '../../../contract/client.ts';
import type { Task } from '../../../contract/task.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { ApprovalCard } from '../../components/approval-card.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { TaskProgress } from '../../components/task-progress.tsx';
import type { TaskLog } from '../../live/task-log.ts';
import { approvalsQuery } from '../../queries/approvals.ts';
import { candidatesQuery, taskQuery } from '../../queries/tasks.ts';
import { Answer } from './answer.tsx';
import { Details } from './details.tsx';
import { tabOf } from './tab-names.ts';
import { TaskActions } from './task-actions.tsx';
import { TaskTabs } from './task-tabs.tsx';
import { useNeedsYou } from '../../components/use-needs-you.ts';
import { trustOf } from './task-states.ts';
import styles from './task.module.css';
import { useTaskLog } from './use-task-log.ts';
import { Waiting } from './waiting.tsx';

// Who reads one of them does not need the rest.
const Failure = lazyPart(() => import('./failure.tsx'), 'Failure');
const TimelineTab = lazyPart(() => import('./timeline/timeline-tab.tsx'), 'TimelineTab');
const OutputTab = lazyPart(() => import('./output-tab.tsx'), 'OutputTab');
const ChangesTab = lazyPart(() => import('./changes-tab.tsx'), 'ChangesTab');
const ChecksTab = lazyPart(() => import('./checks-tab.tsx'), 'ChecksTab');
const TraceTab = lazyPart(() => import('./trace/trace-tab.tsx'), 'TraceTab');
const CandidatesTab = lazyPart(() => import('./candidates-tab.tsx'), 'CandidatesTab');

const route = getRouteApi('/tasks/$id');

/** One task: what it answered, what it does, and what it needs. */
export function TaskPage() {
  const { id } = route.useParams();
  const { data: task, error, refetch } = useQuery(taskQuery(id));
  // One that was deleted meanwhile is gone, whatever was read before.
  const isGone = error instanceof ApiError && error.status === 404;
  if (error && (!task || isGone))
    return (
      <Page title="Task" back={back} isNarrow>
        <Problem error={error} onRetry={isGone ? undefined : () => void refetch()} />
      </Page>
    );
  if (!task)
    return (
      <Page title="Task" back={back}>
        <Loading rows={6} label="Loading the task" />
      </Page>
    );
  return <TaskView key={id} task={task} />;
}

const back = <BackLink to="/tasks">Tasks</BackLink>;

function TaskView({ task }: { task: Task }) {
  const log = useTaskLog(task.id);
  return (
    <Page
      className={styles['page']}
      title={visibleLine(task.title)}
      back={back}
      note={<State task={task} />}
      actions={<TaskActions task={task} />}
    >
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <Suspense>{task.status === 'failed' && <Failure task={task} />}</Suspense>
          <Approvals task={task} />
          <Waiting task={task} log={log} />
          <Answer task={task} />
          <Views task={task} log={log} />
        </div>
        <Details task={task} log={log} />
      </div>
    </Page>
  );
}

function State({ task }: { task: Task }) {
  const needsYou = useNeedsYou();
  return (
    <span className={styles['state']}>
      <StatusBadge status={task.status} note={trustOf(task)} needsYou={needsYou.has(task.id)} />
      {task.status === 'in_progress' && <TaskProgress task={task} />}
    </span>
  );
}

/** The calls of the task, and of its candidates, that wait for a decision. */
function Approvals({ task: { id, bestOf } }: { task: Task }) {
  const { data: approvals = [] } = useQuery(approvalsQuery);
  const { data } = useQuery({ ...candidatesQuery(id), enabled: bestOf !== undefined });
  const ids = [id, ...(data?.candidates ?? []).map(({ taskId }) => taskId)];
  const waiting = approvals.filter(({ taskId }) => taskId !== undefined && ids.includes(taskId));
  if (waiting.length === 0) return null;
  return (
    <section className={styles['approvals']} aria-labelledby="approvals">
      <h2 id="approvals">Needs you</h2>
      {waiting.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} onTask={id} />
      ))}
    </section>
  );
}

function Views({ task, log }: { task: Task; log: TaskLog }) {
  const { tab, line } = route.useSearch();
  const current = tabOf(tab, task);
  return (
    <TaskTabs task={task} log={log} current={current}>
      <Suspense fallback={<Loading rows={4} label="Loading the view" />}>
        {current === 'timeline' && <TimelineTab task={task} log={log} />}
        {current === 'output' && <OutputTab task={task} log={log} line={line} />}
        {current === 'changes' && <ChangesTab task={task} />}
        {current === 'checks' && <ChecksTab task={task} log={log} />}
        {current === 'trace' && <TraceTab task={task} />}
        {current === 'candidates' && <CandidatesTab task={task} />}
      </Suspense>
    </TaskTabs>
  );
}
