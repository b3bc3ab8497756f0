import type { TaskStatus } from '../../contract/task.ts';

/** Every way in which a task changes its status; nothing else does. */
export const moves = {
  /** The queue accepted it. */
  admit: { from: ['pending'], to: 'queued' },
  /** A worker took it: the attempt counts, the fence rises. */
  claim: { from: ['queued'], to: 'in_progress' },
  complete: { from: ['in_progress'], to: 'completed' },
  /** No attempt is left, or the failure is permanent. */
  fail: { from: ['in_progress'], to: 'failed' },
  /** It failed and will be tried again after a delay. */
  postpone: { from: ['in_progress'], to: 'queued' },
  /** Its agent needs a person first. */
  release: { from: ['in_progress'], to: 'pending' },
  /** Its worker died or was stopped. */
  requeue: { from: ['in_progress'], to: 'queued' },
  cancel: { from: ['pending', 'queued', 'in_progress'], to: 'cancelled' },
  /** Taken back from the dead letters. */
  revive: { from: ['failed'], to: 'queued' },
} as const satisfies Record<string, { from: readonly TaskStatus[]; to: TaskStatus }>;

export type MoveName = keyof typeof moves;

export const allows = (move: MoveName, status: TaskStatus): boolean =>
  (moves[move].from as readonly TaskStatus[]).includes(status);

/** The states that a retry as a new task starts from. */
export const retriable: readonly TaskStatus[] = ['failed', 'completed', 'cancelled'];

export const isTerminal = (status: TaskStatus): boolean => retriable.includes(status);
