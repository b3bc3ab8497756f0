import type { RunDaemon } from '../../contract/placement.ts';
import type { AgentAdapter, AgentRun, RunningEvent } from '../agents/agent-adapter.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { worktreeVariables } from '../worktrees/worktree-commands.ts';
import type { OpenWorktree, Worktrees } from '../worktrees/worktrees.ts';
import { SharedDelay } from '../async/shared-delay.ts';
import type { Workspaces } from '../processes/workspaces.ts';
import type { Config } from '../config/config.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { messageOf } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import type { QueuePause } from '../queue/queue-pause.ts';
import type { EnqueueOptions, QueuedWork, TaskQueue, WorkSlot } from '../queue/task-queue.ts';
import { type Database, independent } from '../storage/database.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ActiveRuns, RunHandle } from './active-runs.ts';
import { traceAttempt } from './attempt-trace.ts';
import { probationMs } from './crash-evidence.ts';
import type { QueueSlots } from './queue-slots.ts';
import { RunClock } from './run-clock.ts';
import { RunEvents } from './run-events.ts';
import { RunSpending, type RunSpendingDeps } from './run-spending.ts';
import { completedOutcome, type RunOutcome, stoppedOutcome, thrownOutcome } from './run-outcome.ts';
import { isClockBehind, msUntilDue } from './due-time.ts';
import { orAbandon } from './or-abandon.ts';
import type { FailureParts } from './task-failure.ts';
import type { OutputRecorder } from './output-recorder.ts';
import type { RunProgressReports } from './run-progress.ts';
import type { TaskEnvironments } from './task-environments.ts';
import type { TaskPlacement } from './task-placement.ts';
import { queuedWorkOf } from './queued-work.ts';
import { type Claim, claimOf } from './task-claim.ts';
import { leaseEnd } from '../leases.ts';
import type { WholeTask } from './task-columns.ts';
import type { ImmediateRuns, InsertClaimed } from './immediate-runs.ts';
import { type StoredTask, toTask } from './task-mapping.ts';
import type { TaskOutputs } from './task-outputs.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';
import { executeVerified } from './verification/verified-run.ts';
import { timeLimitOf } from './time-limit.ts';
import type { VerifyFile } from './verification/verify-file.ts';
import type { WorkVerifier } from './verification/work-verifier.ts';

/** How long events of runs wait for those of other runs: each commit blocks the event loop for one sync of the disk. */
const EVENTS_DELAY_MS = 20;
/** After a claim that the disk did not take. */
const CLAIM_AGAIN_MS = 1000;
/** How long a task is left to the daemons that have its agent. */
const LEAVE_MS = 500;

export interface TaskRunnerDeps
  extends Omit<FailureParts, 'deadLetters' | 'notifications'>, Omit<RunSpendingDeps, 'runs'> {
  database: Database;
  registry: AgentRegistry;
  placement: Pick<TaskPlacement, 'isTaskElsewhere' | 'hasLabelsOf'>;
  queue: TaskQueue;
  immediate: ImmediateRuns;
  pause: QueuePause;
  slots: QueueSlots;
  runs: ActiveRuns;
  recorder: OutcomeRecorder;
  workspaces: Workspaces;
  worktrees: Pick<Worktrees, 'open' | 'finish'>;
  verifier: WorkVerifier;
  verifyFile: VerifyFile;
  environments: Pick<TaskEnvironments, 'read'>;
  outputs: Pick<TaskOutputs, 'record' | 'finish'>;
  progress: RunProgressReports;
  bus: EventBus;
  config: Config;
  telemetry?: Telemetry | undefined;
  log: Log;
  /** Names this process in leases. */
  workerId: string;
  daemon: DaemonIdentity;
}

interface ClaimedRun {
  adapter: AgentAdapter;
  task: StoredTask;
  run: RunHandle;
}

/** The agent that a task was queued for is not the one that it gets now, or this daemon may not run it. */
class NotThisRun extends Error {}

/** Takes ids from the queue, claims the tasks, lets their agents run, and records what came of it. */
export class TaskRunner {
  readonly #deps: TaskRunnerDeps;
  readonly #eventsDelay = new SharedDelay(EVENTS_DELAY_MS);
  /** What a claim says of this daemon. */
  readonly #claimant: Pick<Claim, 'workerId' | 'daemon' | 'host'>;
  constructor(deps: TaskRunnerDeps) {
    this.#deps = deps;
    const { id, name, host, isInCluster } = deps.daemon;
    this.#claimant = {
      workerId: deps.workerId,
      daemon: isInCluster ? JSON.stringify({ id, name, host } satisfies RunDaemon) : null,
      host: isInCluster ? host : null,
    };
  }

  async start(): Promise<void> {
    this.#deps.immediate.serve((task, insert) => this.#runNew(task, insert));
    await this.#deps.queue.start((...delivery) => this.#handle(...delivery), {
      concurrency: this.#deps.config.get('queue.concurrency'),
    });
  }

  /**
   * Takes no more work, stops the runs that only wait for a person, waits for the others, stops those that take longer,
   * and keeps what they came to.
   */
  async stop(graceMs: number): Promise<void> {
    const { queue, runs, recorder } = this.#deps;
    const drained = queue.close();
    runs.stopWaiting('shutdown');
    const timer = setTimeout(() => runs.stopAll('shutdown'), graceMs);
    await drained;
    clearTimeout(timer);
    await recorder.idle();
  }

  async #handle(id: string, work: QueuedWork, slot: WorkSlot): Promise<void> {
    const { queue, pause, log } = this.#deps;
    if (pause.isPaused) return;
    try {
      const claim = (await this.#claimAtOnce(id, work.agent)) ?? (await this.#claimByRow(id, work));
      if (!claim) return;
      const { adapter, task, run } = claim;
      const leave = work.lane === 'suspect' ? this.#watchSuspect(task.suspect) : undefined;
      await this.#run(adapter, task, run, slot).finally(leave);
    } catch (error) {
      log.warn({ taskId: id, reason: messageOf(error) }, 'a task could not be claimed; trying again');
      await queue.enqueue(id, { ...work, delayMs: CLAIM_AGAIN_MS });
    }
  }

  /** Claims a task without a look at its row before, as nearly all can be; undefined where something is in the way. */
  async #claimAtOnce(id: string, agent: string): Promise<ClaimedRun | undefined> {
    const { database, store, registry, placement, runs, runtime } = this.#deps;
    if (agent === '' || registry.blockedForMs(agent) > 0) return undefined;
    const now = runtime.now();
    let run: RunHandle | undefined;
    try {
      const claimed = await database.write(
        async (transaction) => {
          const claim = { agent, ...this.#claimant, leaseUntil: leaseEnd(now) };
          const task = await store.claim(transaction, id, claim, now);
          if (!task) return undefined;
          const choice = registry.choose(task);
          const isOurs = 'adapter' in choice && choice.adapter.type === agent;
          // The row decides, whatever the wake-up said.
          if (!isOurs || !placement.hasLabelsOf(task)) throw new NotThisRun();
          // Registered with the commit: a cancel in the same commit then finds a run to stop.
          transaction.afterCommit(() => (run = runs.begin(task.id, task.fence)));
          return { task, adapter: choice.adapter };
        },
        { independent: true },
      );
      return claimed && run && { ...claimed, run };
    } catch (error) {
      if (error instanceof NotThisRun) return undefined;
      throw error;
    }
  }

  /** Finds out what to do with a task that cannot simply be claimed: it waits, has moved, or needs another agent. */
  async #claimByRow(id: string, work: QueuedWork): Promise<ClaimedRun | undefined> {
    const { store, registry, placement, queue, runtime, log } = this.#deps;
    const again = async (options: EnqueueOptions) => {
      await queue.enqueue(id, { ...work, ...options });
      return undefined;
    };
    const task = await store.find(id);
    if (task?.status !== 'queued') return undefined;
    const now = runtime.now();
    // The queue waits by a clock that never jumps; the wall clock only counts while it makes sense.
    const wait = isClockBehind(task, now) ? 0 : msUntilDue(task, now);
    if (wait > 0) return again({ delayMs: wait });
    const choice = registry.choose(task);
    // The sweeper looks again at tasks whose agent went away while they waited.
    if ('missing' in choice || !placement.hasLabelsOf(task)) {
      if (placement.isTaskElsewhere(task, choice))
        return again({ ...queuedWorkOf(task, registry), delayMs: LEAVE_MS });
      log.debug({ taskId: id }, 'this daemon cannot run the task, and no other');
      return undefined;
    }
    const blockedMs = registry.blockedForMs(choice.adapter.type);
    if (blockedMs > 0) return again({ delayMs: blockedMs });
    // The choice has changed since: it has to wait for a slot of its new agent.
    if (choice.adapter.type !== work.agent) return again(queuedWorkOf(task, registry));
    return this.#claim(task, choice.adapter);
  }

  /** Lets the next suspect start once this one has run long enough beside none; answers what ends the watch. */
  #watchSuspect(suspect: number): () => void {
    const { slots } = this.#deps;
    let isProven = false;
    const timer = setTimeout(() => {
      isProven = true;
      slots.provenSuspects++;
      void this.start();
    }, probationMs(suspect));
    return () => {
      clearTimeout(timer);
      if (isProven) slots.provenSuspects--;
    };
  }

  async #claim(task: StoredTask, adapter: AgentAdapter): Promise<ClaimedRun | undefined> {
    const { database, store, runs, runtime } = this.#deps;
    const now = runtime.now();
    const { change, event } = claimOf(task, { agent: adapter.type, ...this.#claimant, now });
    let run: RunHandle | undefined;
    const head = await database.write(async (transaction) => {
      const moved = await store.move(transaction, task, 'claim', now, change, [event]);
      // Registered with the commit: a cancel in the same commit then finds a run to stop.
      if (moved) transaction.afterCommit(() => (run = runs.begin(task.id, change.fence)));
      return moved;
    }, independent);
    return head && run && { adapter, task: { ...task, ...head }, run };
  }

  /** Claims a new task in the transaction that stores it, and runs it; undefined where it has to wait. */
  #runNew(row: WholeTask, insert: InsertClaimed): Promise<boolean> | undefined {
    const { registry, placement, queue, pause, runs, runtime } = this.#deps;
    const choice = registry.choose(row);
    if (pause.isPaused || 'missing' in choice || !placement.hasLabelsOf(row)) return undefined;
    const { adapter } = choice;
    const now = runtime.now();
    if (registry.blockedForMs(adapter.type) > 0 || msUntilDue(row, now) > 0) return undefined;
    const inserted = Promise.withResolvers<boolean>();
    const isTaken = queue.runNow(queuedWorkOf(row, registry), async (slot) => {
      let begun: { task: StoredTask; run: RunHandle } | undefined;
      const claim = claimOf(row, { agent: adapter.type, ...this.#claimant, now });
      try {
        const isInserted = await insert(claim, (transaction, task) =>
          transaction.afterCommit(() => (begun = { task, run: runs.begin(task.id, task.fence) })),
        );
        inserted.resolve(isInserted);
      } catch (error) {
        inserted.reject(error);
      }
      if (begun) await this.#run(adapter, begun.task, begun.run, slot);
    });
    return isTaken ? inserted.promise : undefined;
  }

  /** Resolves when the agent has stopped: the outcome is stored while the worker already takes its next task. */
  async #run(adapter: AgentAdapter, task: StoredTask, handle: RunHandle, slot: WorkSlot): Promise<void> {
    await traceAttempt(this.#deps.telemetry, { agent: adapter.type, task }, () =>
      this.#attempt(adapter, task, handle, slot),
    );
  }

  async #attempt(
    adapter: AgentAdapter,
    task: StoredTask,
    { signal, wait, end }: RunHandle,
    slot: WorkSlot,
  ): Promise<RunOutcome> {
    const { database, store, runs, registry, workspaces, environments, outputs, recorder } = this.#deps;
    const { runtime, config, bus, log } = this.#deps;
    const progress = this.#deps.progress.begin(task);
    const events = new RunEvents(task, {
      database,
      store,
      now: runtime.now,
      nextWrite: () => this.#eventsDelay.end(),
      onLost: () => runs.stop(task.id, 'lost'),
    });
    const seen = toTask(task);
    const limit = timeLimitOf(seen, config);
    const clock = new RunClock({
      limitMs: limit.ms,
      monotonic: runtime.monotonic,
      onTimeout: () => runs.stop(task.id, limit.reason),
    });
    const whileWaiting = async <T>(decision: () => Promise<T>): Promise<T> => {
      const endWait = wait();
      clock.stop();
      slot.release();
      try {
        const decided = await decision();
        await slot.acquire(signal);
        return decided;
      } finally {
        endWait();
        clock.start();
      }
    };
    let usesWorkspace = false;
    let worktree: OpenWorktree | undefined;
    let workspace: Promise<string> | undefined;
    const openWorkspace = async () => {
      const isTrusted = task.is_trusted === 1;
      const order = {
        task: seen,
        adapter,
        isTrusted,
        signal,
        emit: (event: RunningEvent) => events.add(event),
      };
      worktree = await this.#deps.worktrees.open(order);
      if (worktree) return worktree.workspace;
      usesWorkspace = true;
      return workspaces.open(seen);
    };
    let output: OutputRecorder | undefined;
    let outcome: RunOutcome;
    let spending: RunSpending | undefined;
    try {
      signal.throwIfAborted();
      const emit = (event: RunningEvent) => {
        progress.note(event);
        events.add(event);
      };
      const beginning = { adapter, task: seen, stored: task, signal, emit, whileWaiting };
      spending = await RunSpending.begin(this.#deps, beginning);
      const { usedBy } = spending;
      const run: AgentRun = {
        task: seen,
        attempt: task.attempts,
        // An attempt that was given back after a crash is not the first one again for what the run reads of it.
        runKey: `${task.fence}/${task.attempts + task.forgiven}`,
        signal,
        telemetry: this.#deps.telemetry,
        environment: () => ({
          ...environments.read(task),
          ...(worktree && worktreeVariables(worktree.row)),
        }),
        openOutput: async () => (output = await outputs.record(task.id)),
        workspace: () => (workspace ??= openWorkspace()),
        usedBy,
        spend: (used) => {
          progress.spend(used);
          spending?.spend(used);
        },
        emit,
        publishOutput: (piece) => {
          if (output?.isClosed === false) events.afterStored(() => bus.emit('task_output', { task, piece }));
        },
        whileWaiting,
      };
      const { verifyFile: file } = this.#deps;
      const verifyFile = async () => {
        await run.workspace();
        return file.commands(task, run, worktree);
      };
      const execute = () => executeVerified({ ...this.#deps, verifyFile }, adapter, run);
      const result = await orAbandon(registry.breakerOf(adapter.type)?.run(execute) ?? execute(), signal);
      spending.answered(result);
      outcome = completedOutcome(result, clock.elapsed());
    } catch (error) {
      outcome = signal.aborted
        ? stoppedOutcome(signal.reason, { duration: clock.elapsed(), limit, error })
        : thrownOutcome(error, clock.elapsed());
    } finally {
      clock.finish();
      progress.end();
      spending?.end();
    }
    if (output)
      await outputs.finish(task.id, output).catch((error: unknown) => {
        if (outcome.kind === 'completed') outcome = thrownOutcome(error, clock.elapsed());
      });
    if (worktree) outcome = await this.#withChanges(outcome, worktree);
    if (usesWorkspace)
      workspaces
        .close(seen)
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'a workspace is left'));
    // The claim is renewed until its outcome is stored, however long the disk takes.
    recorder.record(task, outcome, events, end);
    return outcome;
  }

  /** Adds what the run left in its worktree; the worktree stays, so that a failure here loses nothing. */
  async #withChanges(outcome: RunOutcome, worktree: OpenWorktree): Promise<RunOutcome> {
    const { worktrees, log } = this.#deps;
    if (outcome.kind !== 'completed' && outcome.kind !== 'failed') return outcome;
    try {
      const changes = await worktrees.finish(worktree);
      return { ...outcome, result: { ...outcome.result, changes } };
    } catch (error) {
      log.warn(
        { taskId: worktree.row.task_id, reason: messageOf(error) },
        'the changes in a worktree could not be read',
      );
      return outcome;
    }
  }
}
