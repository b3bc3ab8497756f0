import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ClusterServices } from '../cluster/cluster-services.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Engine } from '../storage/database.ts';
import type { HostWatch } from './host-watch.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskAdmission } from './task-admission.ts';
import type { TaskRecovery } from './task-recovery.ts';
import type { WaitNotices } from './wait-notices.ts';
import type { ScanPosition, TaskScanStore } from './task-scan-store.ts';

const EVERY_MS = 15_000;
/** A queued task that has been due this long was forgotten by the queue, or the queue is long; both ids are harmless. */
const OVERDUE_MS = 30_000;
const OVERDUE_PAGE = 500;

export interface TaskSweeperDeps {
  recovery: TaskRecovery;
  scan: TaskScanStore;
  admission: TaskAdmission;
  notices: WaitNotices;
  registry: AgentRegistry;
  engine: Engine;
  cluster: Pick<ClusterServices['cluster'], 'hasLostQueue'>;
  /** Of a cluster. */
  hosts: Pick<HostWatch, 'look'> | undefined;
  runtime: Runtime;
  log: Log;
}

/** Derives again and again from the rows what ought to happen, so that a lost wake-up costs seconds and no task. */
export class TaskSweeper {
  readonly #deps: TaskSweeperDeps;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #seenRevision = 0;
  #overdueAfter: ScanPosition | undefined;

  constructor(deps: TaskSweeperDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => void this.sweep(), EVERY_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  /** One sweep; never rejects, because the next one tries again. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep()
      .catch((error: unknown) => this.#deps.log.warn({ reason: messageOf(error) }, 'a sweep failed'))
      .finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { recovery, registry, engine, cluster, hosts, notices, runtime } = this.#deps;
    const now = runtime.now();
    await recovery.takeBackExpired(now.toISOString());
    if (await cluster.hasLostQueue()) await recovery.wakeQueued();
    await this.#wakeOverdue(new Date(now.getTime() - OVERDUE_MS).toISOString());
    // Tasks that wait for an agent were looked at when they came; only another state of the agents changes the answer.
    const { revision } = registry;
    if (revision !== this.#seenRevision) {
      await recovery.admitWaiting();
      await notices.checkAll();
    }
    this.#seenRevision = revision;
    await hosts?.look();
    await engine.refreshTextIndex();
  }

  /** A part of the queued tasks per sweep, in turn, so that a long queue costs a sweep no more than a short one. */
  async #wakeOverdue(before: string): Promise<void> {
    const { scan, admission, notices } = this.#deps;
    const page = await scan.page('queued', this.#overdueAfter, OVERDUE_PAGE);
    for (const task of page)
      if (task.updated_at < before && (task.scheduled_for ?? '') < before && (await notices.check(task)))
        await admission.wake(task);
    this.#overdueAfter = page.length < OVERDUE_PAGE ? undefined : page.at(-1);
  }
}
