import type { Approval } from '../../../contract/approvals.ts';
import type { LiveMessage } from '../../../contract/live.ts';
import type { QueueStatus } from '../../../contract/queue.ts';
import type { ListedTask, Task, TaskEvent } from '../../../contract/task.ts';
import { waitEventTypes } from '../../../contract/wait-events.ts';
import type { Tone } from '../parts/line.ts';
import type { RunState } from '../parts/run-state.ts';
import { emptyRun } from '../parts/run-state.ts';
import { askedRun, concludeRun, tellRun } from './run-of-task.ts';
import {
  inOrder,
  type WatchedTask,
  type WatchedTasks,
  withLoaded,
  withMessage,
  withoutExcess,
} from './watched-task.ts';

/** A task that is looked into. */
export interface AttachedRun {
  id: string;
  /** Undefined until the daemon has answered. */
  task?: Task;
  run: RunState;
  /** The plan for its next attempt, if that was the last event. */
  retry?: TaskEvent | undefined;
}

export interface WatchState {
  tasks: WatchedTasks;
  /** The selected task; without one, the first. */
  chosenId?: string | undefined;
  queue?: QueueStatus;
  /** What waits for a decision, in the order in which it came. */
  approvals: readonly Approval[];
  /** The daemon does not answer at the moment. */
  isAway: boolean;
  isLoaded: boolean;
  attached?: AttachedRun | undefined;
  /** The task that is cancelled if the answer is yes. */
  cancelling?: string | undefined;
  /** Whether approvals are asked for where no task is looked into. */
  areApprovalsOpen: boolean;
  /** Approvals that were put off. */
  later: ReadonlySet<string>;
  note?: { text: string; tone: Tone } | undefined;
}

export type WatchEvent =
  | { kind: 'loaded'; tasks: readonly ListedTask[]; queue: QueueStatus; approvals: readonly Approval[] }
  | { kind: 'live'; message: LiveMessage }
  | { kind: 'away' }
  | { kind: 'attached'; id: string }
  | { kind: 'attachedTask'; task: Task }
  | { kind: 'event'; id: string; event: TaskEvent }
  | { kind: 'ended'; task: Task }
  | { kind: 'detached' }
  | { kind: 'moved'; by: number }
  | { kind: 'selected'; id: string }
  | { kind: 'cancelling'; id: string | undefined }
  | { kind: 'approvalsOpened' }
  | { kind: 'decided'; id: string }
  | { kind: 'undecided'; approval: Approval }
  | { kind: 'later'; ids: readonly string[] }
  | { kind: 'note'; text: string; tone: Tone };

export const emptyWatch: WatchState = {
  tasks: new Map(),
  approvals: [],
  isAway: false,
  isLoaded: false,
  areApprovalsOpen: false,
  later: new Set(),
};

/** The state after more events; many tasks may change in one go. */
export function reduceWatch(state: WatchState, events: readonly WatchEvent[]): WatchState {
  const tasks = new Map(state.tasks);
  const after = events.reduce<WatchState>((present, event) => next(present, event, tasks), {
    ...state,
    tasks,
  });
  return {
    ...after,
    // Or the next one would open unexpectedly.
    areApprovalsOpen: after.areApprovalsOpen && after.approvals.length > 0,
    tasks: withoutExcess(tasks, [after.chosenId, after.attached?.id]),
  };
}

function next(state: WatchState, event: WatchEvent, tasks: Map<string, WatchedTask>): WatchState {
  const { attached } = state;
  switch (event.kind) {
    case 'loaded': {
      withLoaded(tasks, event.tasks);
      const { queue, approvals } = event;
      return { ...state, queue, approvals, isAway: false, isLoaded: true };
    }
    case 'live':
      return hear(state, event.message, tasks);
    case 'away':
      return { ...state, isAway: true };
    case 'attached': {
      const { id } = event;
      return {
        ...state,
        attached: { id, run: emptyRun },
        chosenId: id,
        areApprovalsOpen: false,
        note: undefined,
      };
    }
    case 'attachedTask': {
      const { task } = event;
      if (attached?.id !== task.id) return state;
      return { ...state, attached: { ...attached, task, run: askedRun(task) } };
    }
    case 'event':
      if (attached?.id !== event.id) return state;
      return {
        ...state,
        attached: {
          ...attached,
          run: tellRun(attached.run, event.event),
          retry: waitEventTypes.includes(event.event.type) ? event.event : undefined,
        },
      };
    case 'ended': {
      const { task } = event;
      if (attached?.id !== task.id) return state;
      return { ...state, attached: { ...attached, task, run: concludeRun(attached.run, task) } };
    }
    case 'detached':
      return { ...state, attached: undefined, note: undefined };
    case 'moved': {
      const ordered = inOrder(tasks);
      const at = Math.max(
        0,
        ordered.findIndex(({ task }) => task.id === state.chosenId),
      );
      const to = Math.min(ordered.length - 1, Math.max(0, at + event.by));
      return { ...state, chosenId: to === 0 ? undefined : ordered[to]?.task.id, note: undefined };
    }
    case 'selected':
      return { ...state, chosenId: event.id };
    case 'cancelling':
      return { ...state, cancelling: event.id, note: undefined };
    case 'approvalsOpened':
      return { ...state, areApprovalsOpen: true, later: new Set(), note: undefined };
    case 'decided':
      return { ...state, approvals: state.approvals.filter(({ id }) => id !== event.id) };
    case 'undecided':
      return withApproval(state, event.approval);
    case 'later':
      if (state.areApprovalsOpen) return { ...state, areApprovalsOpen: false };
      return { ...state, later: new Set([...state.later, ...event.ids]) };
    case 'note':
      return { ...state, note: { text: event.text, tone: event.tone } };
  }
}

function hear(state: WatchState, message: LiveMessage, tasks: Map<string, WatchedTask>): WatchState {
  switch (message.type) {
    case 'task':
      withMessage(tasks, message);
      return state;
    case 'queue':
      return { ...state, queue: message.status };
    case 'approval':
      return withApproval(state, message.approval);
    case 'hello':
    case 'memory':
    case 'notification':
    case 'watching':
    case 'output':
    case 'progress':
    case 'devices':
    case 'agents':
    case 'heartbeat':
    case 'error':
      return state;
    default:
      // A newer daemon may have more types.
      return state;
  }
}

function withApproval(state: WatchState, approval: Approval): WatchState {
  const others = state.approvals.filter(({ id }) => id !== approval.id);
  return { ...state, approvals: approval.status === 'pending' ? [...others, approval] : others };
}

/** The task that keys are about: the one that is looked into, or the one in the list. */
export const presentTask = ({ attached, chosenId, tasks }: WatchState): string | undefined =>
  attached?.id ?? chosenId ?? inOrder(tasks)[0]?.task.id;

/** The approvals that are asked for at the moment: those of the task that is looked into, or all of them. */
export function openApprovals({
  approvals,
  attached,
  areApprovalsOpen,
  later,
}: WatchState): readonly Approval[] {
  if (areApprovalsOpen) return approvals;
  if (!attached) return [];
  return approvals.filter(({ taskId, id }) => taskId === attached.id && !later.has(id));
}
