import { visibleLine } from '../../contract/visible-text.ts';
import type { EventBus } from '../events.ts';
import { describeProgress } from './describe-task.ts';
import type { TaskState } from './task-state.ts';

/** Clients give up on a call that reports nothing for a minute. */
const HEARTBEAT_MS = 15_000;

/** Reports how far tasks are while a client waits for them. */
export class TaskReports {
  readonly #bus: EventBus;
  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  /** Calls back at once, at each change, and every 15 seconds, until the function that it answers is called. */
  follow({ id, status, progress }: TaskState, report: (message: string) => void): () => void {
    let latest = progress ? `${status}: ${describeProgress(progress)}` : status;
    const tell = (message: string) => {
      latest = message;
      report(message);
    };
    report(latest);
    const subscriptions = [
      this.#bus.on('task', ({ task, event }) => {
        if (task.id === id && event.type !== 'output' && event.type !== 'progress')
          tell(`${task.status}: ${visibleLine(event.message).slice(0, 200)}`);
      }),
      this.#bus.on('run_progress', ({ task, progress }) => {
        if (task.id === id) tell(`in_progress: ${describeProgress(progress)}`);
      }),
    ];
    const heartbeat = setInterval(() => report(latest), HEARTBEAT_MS);
    return () => {
      clearInterval(heartbeat);
      for (const unsubscribe of subscriptions) unsubscribe();
    };
  }
}
