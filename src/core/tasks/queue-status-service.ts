import type { QueueStatus } from '../../contract/queue.ts';
import type { Config } from '../config/config.ts';
import type { DeadLetterStore } from './dead-letter-store.ts';
import { queueCounts, type TaskCountStore } from '../storage/task-count-store.ts';
import type { QueuePause } from '../queue/queue-pause.ts';

/** Shows the queue as the rows have it. */
export class QueueStatusService {
  readonly #deps: {
    counts: TaskCountStore;
    deadLetters: DeadLetterStore;
    pause: QueuePause;
    config: Config;
  };
  constructor(deps: {
    counts: TaskCountStore;
    deadLetters: DeadLetterStore;
    pause: QueuePause;
    config: Config;
  }) {
    this.#deps = deps;
  }

  async read(): Promise<QueueStatus> {
    const { counts, deadLetters, pause, config } = this.#deps;
    return {
      mode: 'memory',
      paused: pause.isPaused,
      queues: { tasks: queueCounts(await counts.cells()) },
      workers: {
        tasks: { running: !pause.isPaused, concurrency: config.get('queue.concurrency') },
        notifications: { running: true, concurrency: config.get('queue.notificationConcurrency') },
      },
      deadLetterQueue: await deadLetters.counts(),
    };
  }
}
