import { unlessAborted } from '../async/unless-aborted.ts';
import type { Task, TaskEvent } from '../../contract/task.ts';
import type { RunningEvent } from '../agents/agent-adapter.ts';
import type { EventBus } from '../events.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { CandidateStore } from './candidate-store.ts';
import { CandidateUsage } from './candidate-usage.ts';

/** Between two events about the tokens of a candidate. */
const TOKENS_EVERY_MS = 3000;

export interface WatchDeps {
  bus: EventBus;
  candidates: CandidateStore;
  /** Cancels the unfinished ones among the candidates. */
  cancel: (ids: readonly string[], why: string) => Promise<void>;
  monotonic: () => number;
}

export interface WatchedTask {
  parent: Task;
  emit: (event: RunningEvent) => void;
  signal: AbortSignal;
}

/** Follows the candidates of a task: reports on them, and keeps them within the budget of all of them. */
export class CandidateWatch {
  /** The limit that ended the unfinished candidates, as the end of a sentence. */
  spent: string | undefined;
  readonly #deps: WatchDeps;
  readonly #watched: WatchedTask;
  readonly #usage = new CandidateUsage();
  readonly #numbers = new Map<string, number>();
  readonly #toldTokensAt = new Map<string, number>();

  #look: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(deps: WatchDeps, watched: WatchedTask) {
    this.#deps = deps;
    this.#watched = watched;
  }

  /** Listens from before the first candidate is created, so that nothing of it is missed; `close` ends it. */
  async open(): Promise<void> {
    const { bus, candidates } = this.#deps;
    const { parent } = this.#watched;
    const stopLooking = bus.onDoubt(() => this.#look?.());
    const unsubscribe = bus.on('task', ({ task, event }) => {
      if (task.id === parent.id && event.data['choice'] !== undefined) this.#look?.();
      if (task.parent_id !== parent.id) return;
      this.#usage.add(task.id, event.data);
      this.#report(task, event);
      const isOver = this.spent === undefined && this.#usage.spent(parent) !== undefined;
      if (isOver || isTerminal(task.status) || task.status === 'pending') this.#look?.();
    });
    this.#unsubscribe = () => {
      unsubscribe();
      stopLooking();
    };
    for (const [index, { id }] of (await candidates.list(parent.id)).entries()) {
      this.name(id, index + 1);
      // What they used before the daemon was started. An event that comes meanwhile may be read again: it holds a total.
      for (const data of await candidates.progressOf(id)) this.#usage.add(id, data);
    }
  }

  /** Says which candidate a task is, before its first event. */
  name(taskId: string, number: number): void {
    this.#numbers.set(taskId, number);
  }

  close(): void {
    this.#unsubscribe?.();
  }

  /** Resolves once no candidate works any more or one is chosen; rejects when the signal aborts. */
  async untilFinished(): Promise<void> {
    const { signal } = this.#watched;
    const done = Promise.withResolvers<void>();
    let looking = Promise.resolve();
    this.#look = () => {
      looking = looking.then(async () => {
        if (await this.#isFinished()) done.resolve();
      });
      looking.catch(done.reject);
    };
    try {
      signal.throwIfAborted();
      this.#look();
      await unlessAborted(done.promise, signal);
    } finally {
      this.#look = undefined;
    }
  }

  async #isFinished(): Promise<boolean> {
    const { candidates, cancel } = this.#deps;
    const { parent } = this.#watched;
    const all = await candidates.list(parent.id);
    const open = all.filter(({ status }) => !isTerminal(status));
    if (open.length === 0) return true;
    const ids = open.map(({ id }) => id);
    if (await candidates.choiceOf(parent.id)) {
      // Before the task needs a slot again, which they may hold.
      await cancel(ids, 'Another candidate was chosen');
      return true;
    }
    const spent = this.#usage.spent(parent);
    if (spent !== undefined) {
      this.spent = spent;
      await cancel(ids, `The candidates together have reached their limit of ${spent}`);
      return true;
    }
    const isReady = open.some(({ status }) => status !== 'pending');
    if (isReady || !all.some(({ status }) => status === 'completed')) return false;
    await cancel(ids, 'Its agent was not ready when the other candidates had finished');
    return true;
  }

  #report(task: TaskHead, event: TaskEvent): void {
    const { emit } = this.#watched;
    // A person decides on the calls of candidates where they follow the task.
    if (event.type === 'approval_requested' || event.type === 'approval_decided')
      return emit({ type: event.type, message: event.message, data: event.data });
    const state = stateOf(event);
    const { tokens } = this.#usage.of(task.id);
    if (state === undefined && !this.#isTimeForTokens(task.id, tokens)) return;
    const { count } = this.#watched.parent.bestOf ?? { count: 0 };
    const number = this.#numbers.get(task.id) ?? 0;
    const agent = task.agent_type ?? task.assigned_agent;
    const name = agent === null ? `candidate ${number} of ${count}` : `${agent} (${number} of ${count})`;
    const candidate = {
      taskId: task.id,
      number,
      ...(agent !== null && { agent }),
      status: task.status,
      ...(state !== undefined && { state }),
      ...(tokens > 0 && { tokens }),
    };
    emit({ type: 'progress', message: state === undefined ? '' : `${name}: ${state}`, data: { candidate } });
  }

  #isTimeForTokens(taskId: string, tokens: number): boolean {
    const now = this.#deps.monotonic();
    const last = this.#toldTokensAt.get(taskId) ?? Number.NEGATIVE_INFINITY;
    if (tokens === 0 || now - last < TOKENS_EVERY_MS) return false;
    this.#toldTokensAt.set(taskId, now);
    return true;
  }
}

/** What people want to know of a candidate, by its event. */
const states: Partial<Record<TaskEvent['type'], (message: string) => string>> = {
  started: () => 'working',
  waiting_for_agent: (message) => `waiting: ${message}`,
  retry_scheduled: (message) => `tries again: ${message}`,
  deferred: (message) => `tries again: ${message}`,
  verification_started: () => 'verifying',
  verification_finished: (message) => message,
  completed: () => 'completed',
  failed: (message) => `failed: ${message}`,
  cancelled: () => 'cancelled',
};

const stateOf = ({ type, message }: TaskEvent): string | undefined => states[type]?.(message);
