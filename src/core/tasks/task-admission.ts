import type { TaskHead } from '../storage/rows/tasks.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { QueuePause } from '../queue/queue-pause.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { type Database, independent } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { msUntilDue } from './due-time.ts';
import { queuedWorkOf, type QueuedTask } from './queued-work.ts';
import { type PlacedTask, type TaskPlacement, waitEvent } from './task-placement.ts';
import type { TaskStore } from './task-store.ts';
import type { NewEvent } from './new-event.ts';

/** What the queue needs to know about a task. */
export type Wakeable = QueuedTask & Pick<TaskHead, 'id' | 'scheduled_for' | 'updated_at'>;

export interface AdmissionDeps {
  database: Database;
  store: TaskStore;
  registry: AgentRegistry;
  placement: Pick<TaskPlacement, 'missing'>;
  queue: TaskQueue;
  pause: QueuePause;
  runtime: Runtime;
}

/** Decides when a task may wait for a worker, and wakes the queue for it. */
export class TaskAdmission {
  readonly #deps: AdmissionDeps;
  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Whether a new task is queued at once or has to wait until a daemon can run it, with the event that says so. */
  decide(task: PlacedTask): { fits: boolean; event: NewEvent } {
    const missing = this.#deps.placement.missing(task);
    return missing === undefined
      ? { fits: true, event: queuedEvent }
      : { fits: false, event: waitEvent(missing) };
  }

  /** Adds a task to the queue whose row says that it waits for a worker. */
  async wake(task: Wakeable): Promise<void> {
    const { queue, pause, registry, runtime } = this.#deps;
    // While paused the rows alone remember; resuming reads them again.
    if (pause.isPaused) return;
    const delayMs = msUntilDue(task, runtime.now());
    await queue.enqueue(task.id, { ...queuedWorkOf(task, registry), delayMs });
  }

  /** Queues a pending task if an agent fits now; answers whether it moved. */
  async admit(task: TaskHead): Promise<boolean> {
    const { database, store, runtime } = this.#deps;
    if (task.held === 1 || !this.decide(task).fits) return false;
    const moved = await database.write(
      (transaction) => store.move(transaction, task, 'admit', runtime.now(), {}, [queuedEvent]),
      independent,
    );
    if (moved) await this.wake(moved);
    return moved !== undefined;
  }
}

const queuedEvent: NewEvent = { type: 'queued', message: 'Waiting for a worker' };
