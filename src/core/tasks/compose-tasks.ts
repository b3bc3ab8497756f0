import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Membership } from '../cluster/membership.ts';
import type { ClusterServices } from '../cluster/cluster-services.ts';
import type { AgentAdapter } from '../agents/agent-adapter.ts';
import { type AdapterDeps, createAdapters } from '../agents/adapter-list.ts';
import { AgentRegistry } from '../agents/agent-registry.ts';
import { BackgroundWork } from '../async/background-work.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import { readBootId } from '../processes/boot-id.ts';
import { QueuePause } from '../queue/queue-pause.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Workspaces } from '../processes/workspaces.ts';
import type { Runtime } from '../runtime.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Database } from '../storage/database.ts';
import { TaskCountStore } from '../storage/task-count-store.ts';
import type { Worktrees } from '../worktrees/worktrees.ts';
import { ActiveRuns } from './active-runs.ts';
import { AgentTexts } from './agent-texts.ts';
import { CursorCodec } from './cursor.ts';
import { FinishedTaskStore } from './finished-task-store.ts';
import { DaemonIntake } from './daemon-intake.ts';
import { DeadLetterService } from './dead-letter-service.ts';
import { DeadLetterStore } from './dead-letter-store.ts';
import { ImmediateRuns } from './immediate-runs.ts';
import { IdempotencyStore } from './idempotency-store.ts';
import { NewTaskCheck } from './new-task-check.ts';
import { QueueService } from './queue-service.ts';
import { QueueSlots } from './queue-slots.ts';
import { ClusterPools } from './cluster-pools.ts';
import { QueueStatusService } from './queue-status-service.ts';
import { QueueUsers } from './queue-users.ts';
import { RunProgressReports } from './run-progress.ts';
import { TaskAdmission } from './task-admission.ts';
import { TaskAnalyticsService } from './task-analytics-service.ts';
import { TaskCheckReader } from './task-checks.ts';
import { TaskDeletion } from './task-deletion.ts';
import { TaskFinishWatcher } from './task-finish-watcher.ts';
import { TaskEnvironments } from './task-environments.ts';
import { TaskEventReader } from './task-event-reader.ts';
import { TaskExport } from './task-export.ts';
import { TaskImport } from './task-import.ts';
import { TaskListService } from './task-list-service.ts';
import type { TaskOutbox } from './task-outbox.ts';
import { TaskOutputReader } from './task-output-reader.ts';
import { TaskOutputs } from './task-outputs.ts';
import { TaskPlacement } from './task-placement.ts';
import { TaskQueryStore } from './task-query-store.ts';
import { TaskRecovery } from './task-recovery.ts';
import { TaskRemoval } from './task-removal.ts';
import { TaskScanStore } from './task-scan-store.ts';
import { TaskService } from './task-service.ts';
import { TaskStore } from './task-store.ts';
import { TaskTraceReader } from './trace/task-trace-reader.ts';
import { WaitSpans } from './trace/wait-spans.ts';

export interface TaskDeps extends AdapterDeps {
  database: Database;
  bus: EventBus;
  audit: AuditLog;
  cluster: ClusterServices['cluster'];
  locations: Locations;
  workspaces: Workspaces;
  worktrees: Worktrees;
  keys: KeyRing;
  /** Takes the events of tasks that webhooks subscribe to. */
  outbox: TaskOutbox;
  daemon: DaemonIdentity;
  membership: Membership | undefined;
  notifications: NotificationService;
  /** Agents in addition to those that come with svc, for benchmarks and tests. */
  extraAdapters: AgentAdapter[];
  metrics: Metrics;
  telemetry: Telemetry | undefined;
  modelProviders: ModelProviders;
  reportBug: (error: unknown) => void;
  runtime: Runtime;
  log: Log;
}

export type TaskFeature = Awaited<ReturnType<typeof composeTasks>>['services'];

/** Tasks, their queue and their dead letters; nothing runs yet. At the start it takes back what an earlier daemon left. */
export async function composeTasks(deps: TaskDeps) {
  const { database, locations, bus, keys, outbox, extraAdapters, reportBug, runtime, log, workspaces } = deps;
  const store = new TaskStore(database, bus, outbox);
  const scan = new TaskScanStore(database);
  const counts = new TaskCountStore(database);
  const query = new TaskQueryStore(database);
  const finished = new FinishedTaskStore(database);
  const deadLetterStore = new DeadLetterStore(database);
  const idempotency = new IdempotencyStore(database);
  const cursors = new CursorCodec(keys.key('cursors').toString('hex'));
  const registry = new AgentRegistry({
    ...deps,
    adapters: [...createAdapters(deps), ...extraAdapters],
    stats: { cells: () => counts.cells(), lastActivity: (type) => finished.lastCompletion(type) },
  });
  const users = new QueueUsers(deps);
  await users.refresh();
  const slots = new QueueSlots({ config: deps.config, users });
  const { membership } = deps;
  const placement = new TaskPlacement({ ...deps, registry });
  const intake = membership && new DaemonIntake(placement);
  const queue = await deps.cluster.openQueue({
    limits: slots,
    monotonic: runtime.monotonic,
    ...(intake && { intake }),
  });
  const removal = new TaskRemoval({ database, store });
  const pause = await QueuePause.load(database, bus);
  const runs = new ActiveRuns(runtime.monotonic);
  const environments = new TaskEnvironments(keys);
  const outputs = new TaskOutputs({
    root: join(locations.data, 'outputs'),
    maxBytes: () => deps.config.get('agents.output.maxBytes'),
  });
  const runProgress = new RunProgressReports(bus, deps.daemon);
  const immediate = new ImmediateRuns();
  const stored = { ...deps, store, scan, runs, immediate, deadLetters: deadLetterStore, idempotency };
  const admission = new TaskAdmission({ ...stored, registry, placement, queue, pause });
  const recovery = new TaskRecovery({ ...stored, admission, bootId: readBootId });
  // The sweeper does so too, later.
  const looks = new BackgroundWork(log);
  const admitWaiting = () => looks.run(() => recovery.admitWaiting());
  // This daemon left alone what came while it was paused.
  pause.followOthers(() => looks.run(() => recovery.wakeQueued()), reportBug);
  const clusterPools =
    membership && new ClusterPools({ database, registry, slots, membership, now: runtime.now });
  const queueStatus = new QueueStatusService({
    ...deps,
    clusterPools,
    counts,
    deadLetters: deadLetterStore,
    pause,
    queue,
    slots,
  });
  // Its run may be of another daemon than the one that cancels it.
  bus.on('task', ({ task }) => {
    if (task.status === 'cancelled') runs.stopClaim(task.id, task.fence, 'cancelled');
  });
  const { telemetry } = deps;
  const waitSpans = telemetry && new WaitSpans({ database, telemetry, log });
  if (waitSpans) bus.onLocal('task_moved', waitSpans.record);
  bus.onLocal('agents_changed', () => {
    registry.revision++;
    admitWaiting();
  });
  const abilities = () =>
    deps.config.get('daemon.role') === 'api'
      ? { agents: [], slots: 0, pools: {} }
      : {
          agents: registry.types().filter((type) => registry.isReady(type)),
          slots: slots.total(),
          pools: Object.fromEntries(slots.names().map((name) => [name, slots.slots(name)])),
        };
  membership?.describe(abilities);
  membership?.onOthers(() => {
    registry.revision++;
    admitWaiting();
  });
  const check = new NewTaskCheck({ ...deps, registry, placement, pause });
  const services = {
    registry,
    abilities,
    queueStatus,
    queue: new QueueService({ pause, recovery, status: queueStatus }),
    deadLetters: new DeadLetterService({ ...stored, admission, placement }),
    newTaskCheck: check,
    tasks: new TaskService({
      ...stored,
      admission,
      placement,
      registry,
      queue,
      environments,
      check,
      workspaces,
    }),
    taskDeletion: new TaskDeletion({ ...stored, removal, outputs }),
    taskRemoval: removal,
    taskLists: new TaskListService({ database, query, counts, cursors, runProgress }),
    taskAnalytics: new TaskAnalyticsService({ counts, finished, runtime }),
    taskChecks: new TaskCheckReader({ database, store }),
    taskTraces: new TaskTraceReader({ database, store, runtime }),
    taskEvents: new TaskEventReader({ database, store, bus }),
    taskExport: new TaskExport({ scan, counts, runtime }),
    taskImport: new TaskImport({ database, store }),
    taskOutputs: outputs,
    taskOutputReader: new TaskOutputReader({ store, outputs, texts: new AgentTexts(database), runtime }),
    runProgress,
    finishWatcher: new TaskFinishWatcher(bus, database, log),
    taskStore: store,
    finishedTasks: finished,
    /** For the execution of tasks alone. */
    execution: {
      ...stored,
      registry,
      queue,
      pause,
      slots,
      intake,
      clusterPools,
      admission,
      placement,
      recovery,
      environments,
      outputs,
      progress: runProgress,
    },
  };
  const recover = () =>
    recovery.recover().catch((error: unknown) => {
      // A full disk is no reason not to serve what can be read; the sweeper tries again.
      if (!(error instanceof AppError)) throw error;
      log.warn({ reason: error.message }, 'earlier work could not be resumed yet');
    });
  const tidy = { everyMs: TIDY_EVERY_MS, run: () => idempotency.deleteOld(runtime.now()) };
  const stop = async () => {
    await looks.stop();
    await waitSpans?.settled();
  };
  return {
    services,
    lifecycle: { start: recover, stop, tidy },
  } satisfies Feature<typeof services>;
}
