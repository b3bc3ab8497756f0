import type { CreateTask } from '../../../src/contract/task.ts';

export type Kind =
  | 'ok'
  | 'slow'
  | 'flaky'
  | 'hopeless'
  | 'broken'
  | 'stubborn'
  | 'child'
  | 'stray'
  | 'nobody'
  /** Work for a model. */
  | 'model';
export type TaskBody = Pick<CreateTask, 'title'> & Partial<CreateTask>;

export interface KeyedPost {
  body: TaskBody;
  /** The ids that answers to this key gave; more than one is a violation. */
  ids: Set<string>;
}

/** What the daemon has promised: filled by answers only, so that it can be held against the daemon after a crash. */
export class Ledger {
  /** Acknowledged tasks. */
  readonly tasks = new Map<string, Kind>();
  /** Acknowledged cancels. */
  readonly cancelled = new Set<string>();
  /** Dead letters whose retry was acknowledged, with their task. */
  readonly revived = new Map<string, string>();
  readonly keyed = new Map<string, KeyedPost>();
  /** Tasks whose events may have changed since they were last checked. */
  readonly touched = new Set<string>();
  /** Tasks that were checked at least once. */
  readonly seen = new Set<string>();
  /** Runs that a crash ended and that were taken up again, and tasks that ended for having crashed too often. */
  takenUp = 0;
  poisoned = 0;
  /** Answers that no crash explains. */
  readonly oddAnswers: string[] = [];

  acknowledge(id: string, kind: Kind): void {
    this.tasks.set(id, kind);
    this.touched.add(id);
  }
}
