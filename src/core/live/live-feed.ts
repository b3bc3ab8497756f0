import type { LiveMessage } from '../../contract/live.ts';
import { sparseTaskFields } from '../../contract/task.ts';
import { watchAccess } from '../auth/access-watch.ts';
import { type Caller, isAdmin } from '../auth/caller.ts';
import { messageOf } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import type { QueueStatusService } from '../tasks/queue-status-service.ts';
import type { Runtime } from '../runtime.ts';
import { toListedTask } from '../tasks/task-mapping.ts';

/** Queue counts change with every task, so subscribers get them at most this often. */
const QUEUE_EVERY_MS = 500;

export interface LiveFeedDeps {
  bus: EventBus;
  queueStatus: QueueStatusService;
  runtime: Runtime;
  log: Log;
}

export interface Subscriber {
  send: (message: LiveMessage) => void;
  end: () => void;
}

/** Publishes events to subscribers, limited to what each may see. */
export class LiveFeed {
  readonly #deps: LiveFeedDeps;
  constructor(deps: LiveFeedDeps) {
    this.#deps = deps;
  }

  /** Calls `send` for each message until the returned function is called, and `end` when the caller's session ends. */
  subscribe(caller: Caller, { send, end }: Subscriber): () => void {
    const { bus, runtime } = this.#deps;
    const now = () => runtime.now().toISOString();
    const queue = this.#queueSender(send);
    const subscriptions = [
      watchAccess(bus, caller, end),
      bus.on('task', ({ task, event }) => {
        if (!isAdmin(caller) && task.owner_id !== caller.userId) return;
        send({ type: 'task', at: now(), task: toListedTask(task, sparseTaskFields), event });
        queue.changed();
      }),
      bus.on('approval', ({ row, approval }) => {
        if (isAdmin(caller) || row.owner_id === caller.userId)
          send({ type: 'approval', at: now(), approval });
      }),
      bus.on('queue', () => queue.changed()),
      bus.on('memory_progress', (progress) => send({ type: 'memory', at: now(), progress })),
      bus.on('notification', ({ userId, notification }) => {
        if (userId === caller.userId) send({ type: 'notification', at: now(), notification });
      }),
    ];
    send({ type: 'hello', at: now() });
    return () => {
      queue.stop();
      for (const unsubscribe of subscriptions) unsubscribe();
    };
  }

  #queueSender(send: (message: LiveMessage) => void) {
    const { queueStatus, runtime, log } = this.#deps;
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    const sendStatus = async () => {
      timer = undefined;
      try {
        const status = await queueStatus.read();
        if (!isStopped) send({ type: 'queue', at: runtime.now().toISOString(), status });
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'the state of the queue could not be sent');
      }
    };
    return {
      changed: () => (timer ??= setTimeout(() => void sendStatus(), QUEUE_EVERY_MS)),
      stop: () => {
        isStopped = true;
        clearTimeout(timer);
      },
    };
  }
}
