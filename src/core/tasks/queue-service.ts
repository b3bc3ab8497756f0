import type { Caller } from '../auth/caller.ts';
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
  async pause({ auditEntry }: Caller): Promise<void> {
    await this.#deps.pause.set(true, auditEntry);
  }

  async resume({ auditEntry }: Caller): Promise<void> {
    await this.#deps.pause.set(false, auditEntry);
    await this.#deps.recovery.wakeQueued();
  }
}
