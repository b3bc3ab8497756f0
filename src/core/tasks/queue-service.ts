import type { TaskRecovery } from './task-recovery.ts';
import type { QueuePause } from '../queue/queue-pause.ts';
import type { QueueStatusService } from './queue-status-service.ts';

/** Shows the queue, stops it and lets it go on. */
export class QueueService {
  readonly #deps: { pause: QueuePause; recovery: TaskRecovery; status: QueueStatusService };
  constructor(deps: { pause: QueuePause; recovery: TaskRecovery; status: QueueStatusService }) {
    this.#deps = deps;
  }

  status() {
    return this.#deps.status.read();
  }

  /** Runs under way go on; no other starts until the queue is resumed. */
  async pause(): Promise<void> {
    await this.#deps.pause.set(true);
  }

  async resume(): Promise<void> {
    await this.#deps.pause.set(false);
    await this.#deps.recovery.wakeQueued();
  }
}
