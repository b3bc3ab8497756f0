import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Intake } from '../queue/intake.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import type { Runtime } from '../runtime.ts';
import { queuedWorkOf } from './queued-work.ts';
import type { TaskAdmission } from './task-admission.ts';
import type { TaskScanStore } from './task-scan-store.ts';

const EVERY_MS = 1000;
/** While a page was not all, as after the end of a daemon at which many waited. */
const MORE_EVERY_MS = 50;
/** A task that has been due for so long while this daemon has free slots waits at a daemon that is busy, or was forgotten. */
const LATE_MS = 2000;
const PAGE = 100;

export interface IdlePullDeps {
  scan: TaskScanStore;
  admission: TaskAdmission;
  queue: Pick<TaskQueue, 'pools'>;
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
  /** Whether there may be more work for this daemon than the page that was read last. */
  #hasMore = false;
  /** The first task of that page. */
  #first: string | undefined;

  constructor(deps: IdlePullDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setTimeout(
      () => {
        this.#pulling = this.#pull()
          .catch((error: unknown) =>
            this.#deps.log.warn({ reason: messageOf(error) }, 'due tasks could not be looked for'),
          )
          .finally(() => this.start());
      },
      this.#hasMore ? MORE_EVERY_MS : EVERY_MS,
    ).unref();
  }

  async stop(): Promise<void> {
    // Its end has planned the next one.
    await this.#pulling;
    clearTimeout(this.#timer);
  }

  async #pull(): Promise<void> {
    const { scan, admission, queue, intake, registry, daemon, runtime } = this.#deps;
    if (!intake.isOpen) return;
    const pools = queue.pools();
    const isIdle = pools.every(({ waiting }) => waiting === 0);
    if (!isIdle || pools.some(({ running, slots }) => running >= slots)) return;
    const now = runtime.now();
    const before = new Date(now.getTime() - LATE_MS).toISOString();
    // A database that does not answer is not asked again soon.
    this.#hasMore = false;
    const due = await scan.due(before, daemon.host, PAGE);
    const runnable = due.filter((task) => intake.runs(queuedWorkOf(task, registry)));
    // The same page again is one that does not get on: its agent is blocked, or the queue is paused.
    this.#hasMore = due.length === PAGE && runnable.length > 0 && due[0]?.id !== this.#first;
    this.#first = due[0]?.id;
    for (const task of runnable) await admission.wake(task);
  }
}
