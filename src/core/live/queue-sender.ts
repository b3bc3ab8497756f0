import type { LiveMessage } from '../../contract/live.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Runtime } from '../runtime.ts';
import type { QueueStatusService } from '../tasks/queue-status-service.ts';

/** Queue counts change with every task, so subscribers get them at most this often. */
const QUEUE_EVERY_MS = 500;

export interface QueueSenderDeps {
  queueStatus: QueueStatusService;
  runtime: Pick<Runtime, 'now'>;
  log: Log;
}

/** Sends the state of the queue to one subscriber, soon after it has changed. */
export class QueueSender {
  readonly #deps: QueueSenderDeps;
  readonly #send: (message: LiveMessage) => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: QueueSenderDeps, send: (message: LiveMessage) => void) {
    this.#deps = deps;
    this.#send = send;
  }

  changed(): void {
    this.#timer ??= setTimeout(() => void this.#sendStatus(), QUEUE_EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #sendStatus(): Promise<void> {
    const { queueStatus, runtime, log } = this.#deps;
    this.#timer = undefined;
    try {
      const status = await queueStatus.read();
      if (!this.#isStopped) this.#send({ type: 'queue', at: runtime.now().toISOString(), status });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the state of the queue could not be sent');
    }
  }
}
