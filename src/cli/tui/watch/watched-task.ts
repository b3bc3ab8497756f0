import type { LiveMessage } from '../../../contract/live.ts';
import type { ListedTask, TaskEvent } from '../../../contract/task.ts';
import { waitEventTypes } from '../../../contract/wait-events.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { describeShortly, dueTime } from '../../output/describe-retry.ts';
import { escapeLine } from '../../output/escape-text.ts';

/** A task of the list, and the last that was heard of it. */
export interface WatchedTask {
  task: ListedTask;
  said: string;
  /** The end of what a model is saying, which comes in pieces of lines. */
  text?: string;
  /** The plan for its next attempt, if that was the last event. */
  retry?: TaskEvent;
}
export type WatchedTasks = ReadonlyMap<string, WatchedTask>;

/** More would never be looked at; the daemon has the rest. */
const MOST = 500;
const TEXT_END = 200;

/** What the list needs to know of a task. */
export const watchedFields =
  'id,title,status,assignedAgent,agentType,createdAt,updatedAt,startedAt,completedAt,scheduledFor,error';

/** Merges the tasks of a response with those of live messages since then. */
export function withLoaded(tasks: Map<string, WatchedTask>, loaded: readonly ListedTask[]): void {
  for (const task of loaded) {
    const known = tasks.get(task.id);
    const isNewer = known && (known.task.updatedAt ?? '') > (task.updatedAt ?? '');
    const merged = isNewer ? { ...task, ...known.task } : { ...known?.task, ...task };
    const said = known?.said ?? escapeLine(task.error?.message ?? '');
    tasks.set(task.id, { ...known, task: merged, said });
  }
}

/** The task after a message of the live feed. */
export function withMessage(
  tasks: Map<string, WatchedTask>,
  { task, event }: Extract<LiveMessage, { type: 'task' }>,
): void {
  const known = tasks.get(task.id);
  const isText = event.type === 'output' && event.data['stream'] === 'text';
  const text = isText ? ((known?.text ?? '') + event.message).slice(-TEXT_END) : undefined;
  tasks.set(task.id, {
    task: { ...known?.task, ...task, ...timesOf(event) },
    said: text === undefined ? sayingOf(event, known?.said ?? '') : lastLine(text),
    ...(text !== undefined && { text }),
    ...(waitEventTypes.includes(event.type) && { retry: event }),
  });
}

/** When the next attempt of a task starts and why the last one failed; undefined unless it waits for one. */
export function describeWait({ task, retry }: WatchedTask, now: number): string | undefined {
  const { status, scheduledFor, error } = task;
  if (status !== 'queued') return undefined;
  const dueAt = retry ? dueTime(retry) : Date.parse(scheduledFor ?? '');
  const because = retry?.message ?? error?.message;
  if (because === undefined || !(retry || dueAt > now)) return undefined;
  return `${describeShortly(dueAt, now)}: ${escapeLine(because)}`;
}

const lastLine = (text: string) => escapeLine(text.trimEnd().split('\n').at(-1)?.trimStart() ?? '');

function timesOf({ type, at, data }: TaskEvent): Partial<ListedTask> {
  if (type === 'started') {
    const { agent } = data;
    return { startedAt: at, ...(typeof agent === 'string' && { agentType: agent }) };
  }
  return type === 'completed' || type === 'failed' || type === 'cancelled' ? { completedAt: at } : {};
}

function sayingOf(event: TaskEvent, before: string): string {
  const { type, message } = event;
  if (type === 'created') return '';
  if (type === 'failed' || type === 'cancelled') return escapeLine(message);
  if (type === 'output') return lastLine(message) || before;
  return describeEvent(event) ?? before;
}

/** Running, waiting and finished tasks, the newest first. */
export function inOrder(tasks: WatchedTasks): WatchedTask[] {
  return [...tasks.values()].toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      (isTaskFinished(a) ? timeOf(b).localeCompare(timeOf(a)) : timeOf(a).localeCompare(timeOf(b))) ||
      a.task.id.localeCompare(b.task.id),
  );
}

/** Drops the last tasks of each kind once there are too many. */
export function withoutExcess(tasks: WatchedTasks, keep: readonly (string | undefined)[]): WatchedTasks {
  if (tasks.size <= MOST * 1.5) return tasks;
  const ordered = inOrder(tasks);
  const open = ordered.filter((each) => !isTaskFinished(each)).slice(0, MOST * 0.8);
  const finished = ordered.filter(isTaskFinished).slice(0, MOST - open.length);
  const kept = new Map([...open, ...finished].map((each) => [each.task.id, each]));
  for (const id of keep) {
    const task = id === undefined ? undefined : tasks.get(id);
    if (task) kept.set(task.task.id, task);
  }
  return kept;
}

export const isTaskFinished = ({ task: { status } }: WatchedTask): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

const rankOf = (watched: WatchedTask) =>
  watched.task.status === 'in_progress' ? 0 : isTaskFinished(watched) ? 2 : 1;

const timeOf = (watched: WatchedTask) => {
  const { createdAt = '', startedAt = createdAt, completedAt } = watched.task;
  if (isTaskFinished(watched)) return completedAt ?? startedAt;
  return watched.task.status === 'in_progress' ? startedAt : createdAt;
};
