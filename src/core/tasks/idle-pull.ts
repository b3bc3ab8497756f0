import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Intake } from '../queue/intake.ts';
import type { QueuePause } from '../queue/queue-pause.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type { Runtime } from '../runtime.ts';
import { queuedWorkOf } from './queued-work.ts';
import type { TaskAdmission } from './task-admission.ts';
import type { DuePosition, TaskScanStore } from './task-scan-store.ts';

const EVERY_MS = 1000;
/** While a page was not all, as after the end of a daemon at which many waited. */
const MORE_EVERY_MS = 50;
/** Between pages that hold nothing for this daemon, so that a long queue that no daemon can run costs little. */
const PAST_EVERY_MS = 200;
/** A task that has been due for so long while this daemon has free slots waits at a daemon that is busy, or was forgotten. */
const LATE_MS = 2000;
const PAGE = 100;

export interface IdlePullDeps {
  scan: TaskScanStore;
  admission: TaskAdmission;
  queue: Pick<TaskQueue, 'pools'>;
  pause: Pick<QueuePause, 'isPaused'>;
  intake: Intake;
  registry: Pick<AgentRegistry, 'choose'>;
  daemon: Pick<DaemonIdentity, 'host'>;
  runtime: Runtime;
  log: Log;
}

/**
 * Looks for due tasks in the rows while this daemon of a cluster has nothing to do: those whose wake-up was lost with
 * Redis, with a daemon that died, or that wait at a daemon whose slots are taken. The claim decides who runs them.
 */
export class IdlePull {
  readonly #deps: IdlePullDeps;
  #timer: NodeJS.Timeout | undefined;
  #pulling: Promise<void> | undefined;
  #waitMs = EVERY_MS;
  /** The last of the tasks that this walk has passed, because they are not for this daemon or do not get on. */
  #passed: DuePosition | undefined;
  /** The first task of the page that was read last. */
  #first: string | undefined;

  constructor(deps: IdlePullDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#pulling = this.#pull()
        .catch((error: unknown) =>
          this.#deps.log.warn({ reason: messageOf(error) }, 'due tasks could not be looked for'),
        )
        .finally(() => this.start());
    }, this.#waitMs).unref();
  }

  async stop(): Promise<void> {
    // Its end has planned the next one.
    await this.#pulling;
    clearTimeout(this.#timer);
  }

  async #pull(): Promise<void> {
    const { scan, admission, queue, pause, intake, registry, daemon, runtime } = this.#deps;
    if (!intake.isOpen || pause.isPaused) return;
    const pools = queue.pools();
    const isIdle = pools.every(({ waiting }) => waiting === 0);
    if (!isIdle || pools.some(({ running, slots }) => running >= slots)) return;
    // A database that does not answer is not asked again soon.
    this.#waitMs = EVERY_MS;
    const before = new Date(runtime.now().getTime() - LATE_MS).toISOString();
    const due = await scan.due(before, daemon.host, this.#passed, PAGE);
    const runnable = due.filter((task) => intake.runs(queuedWorkOf(task, registry)));
    const getsOn = runnable.length > 0 && due[0]?.id !== this.#first;
    this.#first = due[0]?.id;
    for (const task of runnable) await admission.wake(task);
    if (due.length < PAGE) this.#passed = undefined;
    else if (getsOn) this.#waitMs = MORE_EVERY_MS;
    else {
      this.#passed = due.at(-1);
      this.#waitMs = PAST_EVERY_MS;
    }
  }
}
