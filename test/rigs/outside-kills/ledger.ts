import type { GatewayFinished } from '../../../src/contract/gateway.ts';
import type { ServerSentEvent } from '../../../src/contract/server-sent-events.ts';
import type { TaskEvent } from '../../../src/contract/task.ts';
import type { Plan } from './plans.ts';

/** What was asked for under one word: the title of its task, which is its idempotency key as well if it has one. */
export interface Posted {
  plan: Plan;
  way: 'api' | 'cli' | 'gateway';
  isKeyed: boolean;
  /** Tasks that answers named; more than one is a violation. */
  taskIds: Set<string>;
  /** The same for requests of the gateway. */
  requestIds: Set<string>;
  /** What the gateway called its end: as the answer to a synchronous request, and as its status. */
  outcomes: GatewayFinished[];
  /** Whether its status came to an end. */
  isFollowed: boolean;
}

/** What a reader of a task's events got over all its connections. */
export interface ReaderLog {
  taskId: string;
  events: ServerSentEvent<TaskEvent>[];
  connections: number;
  /** Whether the daemon said that nothing more comes. */
  isDone: boolean;
}

/** What clients know: filled by answers only, so that it can be held against the daemon in the end. */
export class Ledger {
  readonly posts = new Map<string, Posted>();
  /** Acknowledged cancels, by task. */
  readonly cancelled = new Set<string>();
  readonly readers: ReaderLog[] = [];
  /** API tokens whose creation, and whose end, was acknowledged; the audit log has an entry of each. */
  readonly tokens = new Set<string>();
  readonly revoked = new Set<string>();
  /** Answers that no kill explains. */
  readonly oddAnswers: string[] = [];
  /** Answers and events received; the rig kills by it. */
  progress = 0;
  /** Requests that got no answer. */
  unanswered = 0;
  /** Tasks that run, as far as their readers know. */
  readonly running = new Set<string>();
}

/** Acknowledged tasks with the word under which they were asked for. */
export const acknowledgedIn = ({ posts }: Pick<Ledger, 'posts'>): { taskId: string; word: string }[] =>
  [...posts].flatMap(([word, { taskIds }]) => [...taskIds].map((taskId) => ({ taskId, word })));
