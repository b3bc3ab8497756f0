import type { InfiniteData } from '@tanstack/react-query';
import type { LiveMessage } from '../../contract/live.ts';
import type { Inbox } from '../../contract/inbox.ts';
import type { ListedTask, Task } from '../../contract/task.ts';
import { approvalsQuery } from '../queries/approvals.ts';
import { inboxQuery } from '../queries/inbox.ts';
import { queryClient } from '../queries/query-client.ts';
import { queueQuery } from '../queries/queue.ts';
import { adminOf, sessionQuery } from '../queries/session.ts';
import type { TaskPage } from '../queries/tasks.ts';

/** A burst of changes is one reading. */
const BURST_MS = 300;
/** The inbox is on every page, because the navigation counts what waits. */
const INBOX_BURST_MS = 1000;

/** Keeps what the pages show current: rows are changed in place; what the feed does not say is read again. */
export function applyLive(message: LiveMessage): void {
  switch (message.type) {
    case 'hello':
      return void queryClient.invalidateQueries();
    case 'queue':
      if (mayInboxDiffer(message.status.paused)) refreshLater('inbox');
      return void queryClient.setQueryData(queueQuery.queryKey, message.status);
    case 'approval':
      void queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey });
      void queryClient.invalidateQueries({ queryKey: ['approval', message.approval.id] });
      return void queryClient.invalidateQueries({ queryKey: inboxQuery.queryKey });
    case 'notification':
      // Such as of a pull request, which is opened some time after somebody allowed it.
      if (message.notification.taskId)
        void queryClient.invalidateQueries({ queryKey: ['task', message.notification.taskId] });
      refreshLater('inbox');
      refreshLater('dead-letters');
      refreshLater('webhooks');
      return refreshLater('notifications');
    case 'memory':
    case 'devices':
    case 'agents':
      return refreshLater(message.type);
    case 'task':
      if (message.event.type !== 'output') applyTask(message.task, message.event.type);
      return;
    case 'progress':
      return applyRow({ id: message.taskId, progress: message.progress });
    case 'output':
    case 'watching':
    case 'heartbeat':
    case 'error':
      // Pages that show them listen themselves.
      return;
    default:
      // A newer daemon may send more.
      return;
  }
}

/** Whether the inbox, which tells administrators that the queue is paused, may say something else. */
function mayInboxDiffer(isPaused: boolean): boolean {
  if (!adminOf(queryClient.getQueryData(sessionQuery.queryKey))) return false;
  // What is being read may be older than this message.
  if (queryClient.isFetching({ queryKey: inboxQuery.queryKey }) > 0) return true;
  const inbox = queryClient.getQueryData(inboxQuery.queryKey);
  return inbox?.items.some(({ kind }) => kind === 'queue') !== isPaused;
}

function applyTask(changed: ListedTask, event: string): void {
  // Of a run that is over, nothing says how far it came.
  const task = changed.status === 'in_progress' ? changed : { ...changed, progress: undefined };
  applyRow(task);
  if (event === 'progress') return;
  // The order and the counts of a list come from the daemon, and a result is not in the feed.
  refreshLater('tasks');
  refreshLater('schedules');
  refreshLater('webhooks');
  refreshLater('inbound');
  refreshLater('inbox', INBOX_BURST_MS);
  if (event !== 'created') void queryClient.invalidateQueries({ queryKey: ['task', task.id] });
}

/** Changes the fields of a task wherever it is shown. */
function applyRow(task: ListedTask): void {
  queryClient.setQueryData<Task>(['task', task.id], (old) => old && ({ ...old, ...task } as Task));
  // A list that does not hold the task stays as it is, also as old as it is.
  queryClient.setQueriesData<InfiniteData<TaskPage> | TaskPage>({ queryKey: ['tasks'] }, (old) => {
    if (!old) return undefined;
    if (!('pages' in old)) return withTask<TaskPage>(old, task);
    const at = old.pages.findIndex((page) => withTask(page, task));
    const page = old.pages[at] && withTask(old.pages[at], task);
    return page && { ...old, pages: old.pages.with(at, page) };
  });
  queryClient.setQueryData<Inbox>(inboxQuery.queryKey, (old) => {
    const running = old && withTask(old.running, task);
    return running && { ...old, running };
  });
}

/** The page with the changed task; undefined where it does not hold it. */
function withTask<P extends { tasks: ListedTask[] }>(page: P, task: ListedTask): P | undefined {
  const at = page.tasks.findIndex(({ id }) => id === task.id);
  return at < 0 ? undefined : { ...page, tasks: page.tasks.with(at, { ...page.tasks[at], ...task }) };
}

const pending = new Set<string>();
function refreshLater(key: string, afterMs = BURST_MS): void {
  if (pending.has(key)) return;
  pending.add(key);
  const refresh = () => {
    // To begin anew at every change would never finish where changes come faster than answers.
    if (queryClient.isFetching({ queryKey: [key] }) > 0) return void setTimeout(refresh, BURST_MS);
    pending.delete(key);
    void queryClient.invalidateQueries({ queryKey: [key] });
  };
  setTimeout(refresh, afterMs);
}
