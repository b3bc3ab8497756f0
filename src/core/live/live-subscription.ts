import { HEARTBEAT_MS, type LiveMessage, type LiveTopic } from '../../contract/live.ts';
import type { TaskEvent } from '../../contract/task.ts';
import type { AccessWatch } from '../auth/access-watch.ts';
import { type Caller, isAdmin } from '../auth/caller.ts';
import type { CoreEvents, EventBus } from '../events.ts';
import type { Runtime } from '../runtime.ts';
import type { RunProgressReports } from '../tasks/run-progress.ts';
import type { LiveMessages } from './live-messages.ts';
import type { QueueSender } from './queue-sender.ts';

export interface Subscriber {
  send: (message: LiveMessage) => void;
  end: () => void;
  /** Whether it has not taken what was sent: output that can be read later is then not sent. */
  isBehind: () => boolean;
}

export interface SubscriptionDeps {
  bus: EventBus;
  accessWatch: Pick<AccessWatch, 'watch'>;
  messages: LiveMessages;
  queue: QueueSender;
  runProgress: RunProgressReports;
  runtime: Pick<Runtime, 'now'>;
  version: string;
}

/** One reader of the live feed: receives everything that it may see, or from its first `watch` on what it watches. */
export class LiveSubscription {
  readonly #deps: SubscriptionDeps;
  readonly #caller: Caller;
  readonly #subscriber: Subscriber;
  readonly #unsubscribe: (() => void)[];
  #topics: ReadonlySet<string> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #stopOutput: (() => void) | undefined;

  constructor(deps: SubscriptionDeps, caller: Caller, subscriber: Subscriber) {
    this.#deps = deps;
    this.#caller = caller;
    this.#subscriber = subscriber;
    const { accessWatch, bus, queue } = deps;
    const { send, end } = subscriber;
    this.#unsubscribe = [
      accessWatch.watch(caller, end),
      bus.on('task', (payload) => this.#onTask(payload)),
      bus.on('run_progress', (payload) => this.#onProgress(payload)),
      bus.on('approval', ({ row, approval }) => {
        if (this.#watches('approvals') && this.#maySee(row))
          send({ type: 'approval', at: this.#now(), approval });
      }),
      bus.on('queue', () => {
        if (this.#watches('queue')) queue.changed();
      }),
      bus.on('memory_progress', (progress) => {
        if (this.#watches('memory')) send({ type: 'memory', at: this.#now(), progress });
      }),
      bus.on('notification', ({ userId, notification }) => {
        if (this.#watches('notifications') && userId === caller.userId)
          send({ type: 'notification', at: this.#now(), notification });
      }),
      bus.on('devices_changed', ({ userId }) => {
        // Clients without topics have never known it.
        if (this.#topics?.has('devices') && userId === caller.userId)
          send({ type: 'devices', at: this.#now() });
      }),
      bus.on('agents_changed', () => {
        if (this.#topics?.has('agents')) send({ type: 'agents', at: this.#now() });
      }),
    ];
    send({ type: 'hello', at: this.#now(), version: deps.version });
  }

  /** Replaces what is received. Which tasks the caller may see is checked for each event. */
  watch(topics: readonly LiveTopic[]): void {
    const { bus, runProgress } = this.#deps;
    const { send } = this.#subscriber;
    this.#topics = new Set(topics);
    this.#heartbeat ??= setInterval(() => send({ type: 'heartbeat', at: this.#now() }), HEARTBEAT_MS);
    this.#stopOutput?.();
    this.#stopOutput = topics.some(isTask)
      ? bus.on('task_output', (each) => this.#onOutput(each))
      : undefined;
    send({ type: 'watching', at: this.#now(), topics: [...new Set(topics)] });
    // Nothing else has it.
    for (const report of runProgress.all()) this.#onProgress(report);
  }

  /** Answers a message that is not understood. */
  refuse(message: string): void {
    this.#subscriber.send({ type: 'error', at: this.#now(), message });
  }

  stop(): void {
    clearInterval(this.#heartbeat);
    this.#stopOutput?.();
    this.#deps.queue.stop();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #onTask(payload: CoreEvents['task']): void {
    const { messages, queue } = this.#deps;
    const { task, event } = payload;
    if (!this.#maySee(task)) return;
    if (!this.#topics) this.#subscriber.send(messages.sparseTask(payload));
    else if (this.#watchesTask(task.id) || (this.#topics.has('tasks') && !isDetail(event)))
      this.#subscriber.send(messages.task(payload));
    if (this.#watches('queue')) queue.changed();
  }

  #onOutput(payload: CoreEvents['task_output']): void {
    const { send, isBehind } = this.#subscriber;
    const { task } = payload;
    if (this.#watchesTask(task.id) && this.#maySee(task) && !isBehind())
      send(this.#deps.messages.output(payload));
  }

  #onProgress(payload: CoreEvents['run_progress']): void {
    const { task } = payload;
    const isWatched = this.#topics?.has('tasks') === true || this.#watchesTask(task.id);
    if (isWatched && this.#maySee(task)) this.#subscriber.send(this.#deps.messages.progress(payload));
  }

  /** Whether it receives a kind of message; without topics it receives all that were there before topics. */
  #watches(topic: LiveTopic): boolean {
    return this.#topics?.has(topic) ?? true;
  }

  #watchesTask(id: string): boolean {
    return this.#topics?.has(`task:${id}`) ?? false;
  }

  #maySee({ owner_id }: { owner_id: string }): boolean {
    return isAdmin(this.#caller) || owner_id === this.#caller.userId;
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }
}

const isTask = (topic: LiveTopic) => topic.startsWith('task:');

/** What changes nothing that a row of a list shows. */
const isDetail = ({ type }: TaskEvent) => type === 'output' || type === 'progress';
