import type { QueueStatus } from '../../contract/queue.ts';
import type { Config } from '../config/config.ts';
import type { DeadLetterStore } from './dead-letter-store.ts';
import { queueCounts, type TaskCountStore } from './task-count-store.ts';
import type { QueuePause } from '../queue/queue-pause.ts';

/** Shows the queue as the rows have it. */
export class QueueStatusService {
  readonly #parts: {
    counts: TaskCountStore;
    deadLetters: DeadLetterStore;
    pause: QueuePause;
    config: Config;
  };
  constructor(parts: {
    counts: TaskCountStore;
    deadLetters: DeadLetterStore;
    pause: QueuePause;
    config: Config;
  }) {
    this.#parts = parts;
  }

  async read(): Promise<QueueStatus> {
    const { counts, deadLetters, pause, config } = this.#parts;
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
