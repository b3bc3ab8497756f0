import type { TaskHead } from '../storage/rows/tasks.ts';
import { setImmediate as breathe } from 'node:timers/promises';
import type { TaskStatus } from '../../contract/task.ts';
import type { ClusterServices } from '../cluster/cluster-services.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { readState, writeState } from '../storage/state.ts';
import type { ActiveRuns } from './active-runs.ts';
import { judgeCrash, type Verdict } from './crash-evidence.ts';
import type { TaskAdmission, Wakeable } from './task-admission.ts';
import { LEASE_MS } from '../leases.ts';
import { type FailureParts, failForGood } from './task-failure.ts';
import type { TaskScanStore } from './task-scan-store.ts';

const PAGE = 1000;
/** The start of the machine in which a daemon last took back tasks; in a cluster with the id of the daemon behind it. */
const BOOT_KEY = 'recovery_boot';
/** A claim with more left than this was made or renewed lately, so its worker lives: one that died leaves its claims at one moment. */
const LIVES_MS = LEASE_MS / 2;

export interface TaskRecoveryDeps extends FailureParts {
  database: Database;
  scan: TaskScanStore;
  admission: TaskAdmission;
  runs: ActiveRuns;
  daemon: DaemonIdentity;
  cluster: Pick<ClusterServices['cluster'], 'hasOthers' | 'hasLostQueue'>;
  /** What changes with every start of the machine. */
  bootId: () => Promise<string | undefined>;
}
type Judge = (task: TaskHead) => Verdict;

/** Finds what an earlier process left: the rows decide what has to run, not the queue. */
export class TaskRecovery {
  readonly #deps: TaskRecoveryDeps;
  constructor(deps: TaskRecoveryDeps) {
    this.#deps = deps;
  }

  /** At the start: the claims of an earlier process with this data directory are over, whose lock this one holds. */
  async recover(): Promise<void> {
    const inFlight: TaskHead[] = [];
    await this.#eachPage(
      'in_progress',
      async (tasks) => void inFlight.push(...tasks.filter((task) => this.#wasOfThisDaemon(task))),
    );
    const waiting = await this.#waitingOf(inFlight);
    const working = inFlight.filter(({ id }) => !waiting.has(id));
    const judge = (await this.#hasMachineRestarted())
      ? undefined
      : judgeCrash(working, this.#deps.runtime.now().toISOString());
    await Promise.all(
      inFlight.map((task) =>
        this.#deps.database.write((transaction) =>
          this.#giveBack(transaction, task, { judge, wasWaiting: waiting.has(task.id) }),
        ),
      ),
    );
    const { cluster } = this.#deps;
    // Asked here, so that the first sweep of a new cluster does not find it; then everything is queued a second time.
    const isLost = await cluster.hasLostQueue();
    // Other daemons have what waits in their lines, and an idle one looks for the rest.
    if (isLost || !cluster.hasOthers()) await this.wakeQueued();
    await this.admitWaiting();
  }

  /** Adds every queued task to the queue, the urgent ones first. */
  async wakeQueued(): Promise<void> {
    const found: Found[] = [];
    await this.#eachPage('queued', async (tasks) => void found.push(...tasks.map(toFound)));
    // Suspects with the least against them first: the innocent ones are soon done.
    found.sort((a, b) => a.priority - b.priority || a.crashes - b.crashes);
    for (const task of found) await this.#deps.admission.wake(task);
  }

  /** Looks again at tasks that wait for an agent. */
  async admitWaiting(): Promise<void> {
    await this.#eachPage('pending', async (tasks) => {
      await Promise.all(tasks.map((task) => this.#deps.admission.admit(task)));
    });
  }

  /**
   * Takes back the claims of workers that have not renewed their lease, which may only be slow. In a cluster only while the
   * database answers for as long as a lease: after an outage the others have to have had their time to renew it.
   */
  async takeBackExpired(now: string): Promise<void> {
    const { daemon, database } = this.#deps;
    if (daemon.isInCluster && database.contactMs() < LEASE_MS) return;
    const all: TaskHead[] = [];
    await this.#eachPage('in_progress', async (tasks) => void all.push(...tasks));
    const isExpired = ({ id, lease_until }: TaskHead) =>
      (lease_until ?? '') < now && !this.#deps.runs.has(id);
    const waiting = await this.#waitingOf(all.filter(isExpired));
    for (const claims of Map.groupBy(all, ({ lease_owner }) => lease_owner).values()) {
      const expired = claims.filter(isExpired);
      if (expired.length === 0) continue;
      const isAlive = claims.some((task) => this.#wasOfThisDaemon(task) || leftMs(task, now) > LIVES_MS);
      // What a worker had in its hands when it died is judged together, so those that it claimed last are waited for.
      if (!isAlive && expired.length < claims.length) continue;
      const working = expired.filter(({ id }) => !waiting.has(id));
      const judge = isAlive ? undefined : judgeCrash(working, now);
      for (const task of await this.#takeBack(expired, { judge, waiting }))
        if (task.status === 'queued') await this.#deps.admission.wake(task);
    }
  }

  /** Gives the tasks back that still are as they were read; those that are judged together, all of them or none. */
  #takeBack(
    tasks: TaskHead[],
    { judge, waiting }: { judge: Judge | undefined; waiting: ReadonlySet<string> },
  ): Promise<TaskHead[]> {
    const { database, store } = this.#deps;
    return database.write(async (transaction) => {
      const locked = await store.lockHeads(
        transaction,
        tasks.map(({ id }) => id),
      );
      const now = new Map(locked.map((task) => [task.id, task]));
      const left = tasks.filter(({ id, status, fence, lease_until }) => {
        const task = now.get(id);
        return task?.status === status && task.fence === fence && task.lease_until === lease_until;
      });
      // Another daemon took some of them, or their worker has renewed them: the next sweep sees what there is then.
      if (judge && left.length < tasks.length) return [];
      const moved = [];
      for (const task of left)
        moved.push(await this.#giveBack(transaction, task, { judge, wasWaiting: waiting.has(task.id) }));
      return moved.filter((task) => task !== undefined);
    });
  }

  /** A daemon that is alone has taken every claim. */
  #wasOfThisDaemon({ lease_owner }: TaskHead): boolean {
    const { id, isInCluster } = this.#deps.daemon;
    return !isInCluster || (lease_owner ?? '').startsWith(`${id}/`);
  }

  async #eachPage(status: TaskStatus, use: (tasks: TaskHead[]) => Promise<void>): Promise<void> {
    for (let last: TaskHead | undefined; ;) {
      const page = await this.#deps.scan.page(status, last, PAGE);
      if (page.length > 0) await use(page);
      if (page.length < PAGE) return;
      last = page.at(-1);
      await breathe();
    }
  }

  /**
   * The tasks of which nothing ran: they waited for a decision on a call, or for their candidates, which are tasks of their
   * own. A decision may have come since the worker was last there, and did not let it continue.
   */
  async #waitingOf(inFlight: TaskHead[]): Promise<Set<string>> {
    const rows = await this.#deps.database.read
      .selectFrom('approvals')
      .innerJoin('tasks', 'tasks.id', 'approvals.task_id')
      .select(['tasks.id', 'tasks.lease_until', 'approvals.decided_at'])
      .where('tasks.status', '=', 'in_progress')
      .where('approvals.used_at', 'is', null)
      .where((eb) =>
        eb.or([eb('approvals.status', '=', 'pending'), eb('approvals.decided_at', 'is not', null)]),
      )
      .execute();
    const waiting = new Set<string>();
    for (const { id, lease_until, decided_at } of rows)
      if (decided_at === null || decided_at > lastRenewal(lease_until)) waiting.add(id);
    for (const { id, best_of } of inFlight) if (best_of !== null) waiting.add(id);
    return waiting;
  }

  /** Where the machine itself went down, no task is to blame. */
  async #hasMachineRestarted(): Promise<boolean> {
    const { database, bootId, daemon } = this.#deps;
    const key = daemon.isInCluster ? `${BOOT_KEY} ${daemon.id}` : BOOT_KEY;
    const boot = await bootId();
    const before = await readState(database.read, key);
    if (boot !== undefined && boot !== before) await database.write(({ db }) => writeState(db, key, boot));
    return boot !== undefined && before !== undefined && boot !== before;
  }

  /**
   * Queues a task whose worker died, unless it has been tried often enough or is held to be what killed the worker. An
   * attempt that ended with a crash that does not count against the task is given back, unless it was the only one: a
   * task with one attempt never runs twice. One that only waited for a person continues to wait.
   */
  async #giveBack(
    transaction: WriteTransaction,
    task: TaskHead,
    { judge, wasWaiting }: { judge: Judge | undefined; wasWaiting: boolean },
  ): Promise<TaskHead | undefined> {
    const { store, runtime } = this.#deps;
    const { crashes, suspect, crash_log } = task;
    const { change, counts, poison }: Verdict = judge?.(task) ?? {
      change: { crashes, suspect, crash_log },
      counts: false,
    };
    const judged = { ...task, ...change };
    const isForgiven = wasWaiting || (!counts && task.max_attempts > 1);
    const error =
      poison !== undefined
        ? { class: 'agent_crash' as const, code: 'poison', message: poison }
        : !isForgiven && task.attempts >= task.max_attempts
          ? {
              class: 'agent_crash' as const,
              code: 'worker_lost',
              message: 'The worker of the last attempt died',
            }
          : undefined;
    if (error) return failForGood(this.#deps, transaction, judged, error);
    const waitsFor = task.best_of === null ? 'the approval' : 'its candidates';
    return store.move(
      transaction,
      judged,
      'requeue',
      runtime.now(),
      {
        ...change,
        attempts: task.attempts - (isForgiven ? 1 : 0),
        forgiven: task.forgiven + (isForgiven ? 1 : 0),
        agent_type: null,
        lease_owner: null,
        lease_until: null,
      },
      [
        {
          type: 'requeued',
          message: wasWaiting
            ? `The daemon stopped; the task continues to wait for ${waitsFor}`
            : 'The worker died; the task runs again',
          data: counts ? { crashes: change.crashes } : { suspect: change.suspect > 0 },
        },
      ],
    );
  }
}

const leftMs = ({ lease_until }: TaskHead, now: string): number =>
  lease_until === null ? 0 : Date.parse(lease_until) - Date.parse(now);

/** When the worker was last heard of; after every time if that is not known. */
const lastRenewal = (leaseUntil: string | null): string =>
  leaseUntil === null ? '~' : new Date(Date.parse(leaseUntil) - LEASE_MS).toISOString();

type Found = Wakeable & Pick<TaskHead, 'crashes'>;

/** Only what the queue has to know, because there may be many. */
const toFound = (task: TaskHead): Found => ({
  id: task.id,
  priority: task.priority,
  owner_id: task.owner_id,
  assigned_agent: task.assigned_agent,
  labels: task.labels,
  may_command: task.may_command,
  agent_rule: task.agent_rule,
  best_of: task.best_of,
  interactive: task.interactive,
  suspect: task.suspect,
  needs: task.needs,
  home: task.home,
  scheduled_for: task.scheduled_for,
  updated_at: task.updated_at,
  crashes: task.crashes,
});
