import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Locations } from '../contract/locations.ts';
import type { TaskEventType } from '../contract/task.ts';
import { createAdapters } from './agents/adapter-list.ts';
import type { AgentAdapter, AgentRun } from './agents/agent-adapter.ts';
import { AgentRegistry } from './agents/agent-registry.ts';
import { killMarked } from './agents/process-group.ts';
import { Workspaces } from './agents/workspaces.ts';
import { AuditLog } from './audit/audit-log.ts';
import { AuditService } from './audit/audit-service.ts';
import { AuditStore } from './audit/audit-store.ts';
import type { Caller } from './auth/caller.ts';
import { joinAccess } from './auth/join-access.ts';
import { joinOAuth } from './auth/oauth/join-oauth.ts';
import type { ClientInfo } from './auth/session-service.ts';
import { forgetEndedRuns } from './chat/runs/ended-runs.ts';
import { SESSION_MS } from './chat/runs/session-time.ts';
import { hasOpenMessages } from './chat/runs/open-messages.ts';
import { joinChat, type ModelOptions } from './chat/join-chat.ts';
import type { Runs } from './chat/runs/join-runs.ts';
import type { Config } from './config/config.ts';
import { settingChanges } from './config/setting-changes.ts';
import { joinDevices } from './devices/join-devices.ts';
import { AppError } from './errors.ts';
import { EventBus } from './events.ts';
import { joinGateway } from './gateway/join-gateway.ts';
import { HealthService } from './health/health-service.ts';
import { createMetrics } from './health/metrics.ts';
import { joinIntegrations } from './integrations/join-integrations.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { LiveFeed } from './live/live-feed.ts';
import type { Log } from './log.ts';
import { joinMemory } from './memory/join-memory.ts';
import { NotificationService } from './notifications/notification-service.ts';
import { isLoopbackHost } from './outbound/address-rules.ts';
import { createOutboundFetch } from './outbound/outbound-fetch.ts';
import { OwnAddress } from './outbound/own-address.ts';
import { Resolver } from './outbound/resolver.ts';
import { closeToOthers, ownFolders } from './own-folders.ts';
import { MemoryQueue } from './queue/memory-queue.ts';
import { QueuePause } from './queue/queue-pause.ts';
import { QueueService } from './queue/queue-service.ts';
import { QueueStatusService } from './queue/queue-status-service.ts';
import { joinSchedules } from './schedules/join-schedules.ts';
import { KeyRing } from './secrets/key-ring.ts';
import { ApprovalService } from './security/approval-service.ts';
import { ApprovalStore } from './security/approval-store.ts';
import { PolicyService } from './security/policy-service.ts';
import { lockDataFolder } from './storage/data-lock.ts';
import type { Database } from './storage/database.ts';
import { openDatabase } from './storage/open-database.ts';
import { readState, writeState } from './storage/state.ts';
import { type Surroundings, systemSurroundings } from './surroundings.ts';
import { ActiveRuns } from './tasks/active-runs.ts';
import { CursorCodec } from './tasks/cursor.ts';
import { DeadLetterService } from './tasks/dead-letter-service.ts';
import { DeadLetterStore } from './tasks/dead-letter-store.ts';
import { IdempotencyStore } from './tasks/idempotency-store.ts';
import { OutcomeRecorder } from './tasks/outcome-recorder.ts';
import { TaskAdmission } from './tasks/task-admission.ts';
import { TaskAnalyticsService } from './tasks/task-analytics-service.ts';
import { TaskCountStore } from './tasks/task-count-store.ts';
import { TaskEventReader } from './tasks/task-event-reader.ts';
import { TaskExport } from './tasks/task-export.ts';
import { TaskImport } from './tasks/task-import.ts';
import { TaskLeases } from './tasks/task-leases.ts';
import { TaskListService } from './tasks/task-list-service.ts';
import { TaskQueryStore } from './tasks/task-query-store.ts';
import { TaskRecovery } from './tasks/task-recovery.ts';
import { TaskRunner } from './tasks/task-runner.ts';
import { TaskScanStore } from './tasks/task-scan-store.ts';
import { TaskService } from './tasks/task-service.ts';
import { TaskStore } from './tasks/task-store.ts';
import { TaskSweeper } from './tasks/task-sweeper.ts';
import { defaultPath } from './tools/commands/command-environment.ts';
import { Sandbox } from './tools/commands/sandbox.ts';
import { joinComments } from './webhooks/comments/join-comments.ts';
import { joinInbound } from './webhooks/inbound/join-inbound.ts';
import { joinWebhooks } from './webhooks/outbound/join-webhooks.ts';

const DRAIN_MS = 30_000;

export interface AppOptions {
  config: Config;
  locations: Locations;
  env: Record<string, string | undefined>;
  log: Log;
  surroundings?: Surroundings;
  /** Agents beside those that come with svc, for benchmarks and tests. */
  extraAdapters?: AgentAdapter[];
  /** The wall time of an agentic session, three minutes unless a test gives its own. */
  sessionMs?: number;
  /** For tests. */
  models?: ModelOptions;
}
export type App = Awaited<ReturnType<typeof createApp>>;

/** Builds and joins the parts of the product: the only place that does. */
export async function createApp(options: AppOptions) {
  const { config, locations, log } = options;
  for (const folder of [locations.data, locations.state, locations.runtime])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeToOthers(locations.data);
  const lock = lockDataFolder(join(locations.data, 'daemon.lock'));
  const database = await openDatabase({
    file: locations.databaseFile,
    synchronous: config.get('storage.synchronous'),
    cacheMiB: config.get('storage.cacheMiB'),
    reportBug: bugReporter(log),
  }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const release = async () => {
    await database.close();
    lock.release();
  };
  try {
    return await joinParts(options, database, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function joinParts(options: AppOptions, database: Database, release: () => Promise<void>) {
  const {
    config,
    locations,
    env,
    log,
    surroundings = systemSurroundings,
    extraAdapters = [],
    sessionMs = SESSION_MS,
    models = {},
  } = options;
  const bus = new EventBus();
  const keys = await KeyRing.load(database, locations.identityFile);
  config.useBox(keys.box);
  const audit = new AuditLog(surroundings);
  const limits = new RateLimits(surroundings.monotonic);
  const reportBug = bugReporter(log);
  const isLoopback = isLoopbackHost(config.get('server.host'));
  const metrics = createMetrics(bus, surroundings);
  const shared = { database, bus, config, keys, audit, limits, surroundings, reportBug, metrics };
  const access = await joinAccess({ ...shared, locations, isLoopback });

  const notifications = new NotificationService({ database, bus, surroundings });
  const allowedRanges = () => config.get('outbound.allowPrivate');
  const outbound = createOutboundFetch(allowedRanges);
  const webhooks = await joinWebhooks({ ...shared, notifications, outbound, log });
  const store = new TaskStore(database, bus, webhooks.webhookOutbox);
  const scan = new TaskScanStore(database);
  const counts = new TaskCountStore(database);
  const query = new TaskQueryStore(database);
  const deadLetters = new DeadLetterStore(database);
  const idempotency = new IdempotencyStore(database);
  const cursors = new CursorCodec(keys.key('cursors').toString('hex'));

  const ownAddress = new OwnAddress(() => config.get('server.baseUrl'));
  const toolOutbound = createOutboundFetch(allowedRanges, new Resolver(), ownAddress);
  const oauth = joinOAuth({ ...shared, ...access, log, fetch: outbound.fetch });
  const installation = await secretOf(database, 'installation', surroundings);
  const policy = await PolicyService.load({ database, audit });
  const approvalStore = new ApprovalStore(database);
  const approvals = new ApprovalService({ ...shared, store: approvalStore, notifications });
  const { modelOutbound, runParts, ...chat } = joinChat({
    ...shared,
    store,
    log,
    models,
    pendingApprovals: (conversationId) => approvals.pendingOf(conversationId),
    recall: (...wish) => recall.about(...wish),
  });
  const integrations = joinIntegrations({ ...shared, ...oauth, outbound });
  const protectedFolders = ownFolders(locations);
  const changeSetting = settingChanges({ ...shared, ...chat });
  const { memoryWork, recall, ...memory } = joinMemory({
    ...shared,
    locations,
    protectedFolders,
    providers: chat.modelProviders,
    setRoots: async (caller, roots) => void (await changeSetting(caller, 'memory.roots', roots)),
    log,
  });
  const sandbox = new Sandbox({
    path: env['PATH'] ?? defaultPath,
    home: env['HOME'] ?? homedir(),
    hiddenFolders: protectedFolders,
  });
  let joined: Promise<Runs> | undefined;
  const loadRuns = () =>
    (joined ??= import('./chat/runs/join-runs.ts').then(({ joinRuns }) =>
      joinRuns({
        ...shared,
        ...runParts,
        ...integrations,
        ...memory,
        recall,
        users: access.users,
        conversations: chat.conversations,
        policy,
        approvals,
        approvalStore,
        protectedFolders,
        sandbox,
        env,
        installation,
        sessionMs,
        workspaces,
        outbound: toolOutbound,
        tasks,
        store,
        log,
      }),
    ));
  /** Messages with tools that an earlier process left waiting, or in the middle. */
  const resumeMessages = async () => {
    if (await hasOpenMessages(database)) await (await loadRuns()).toolMessages.start();
  };
  const builtinAgent = {
    missing: () => chat.modelProviders.missing(),
    work: async (run: AgentRun) => (await loadRuns()).agentWork.execute(run),
  };
  const registry = new AgentRegistry({
    adapters: [
      ...createAdapters({ config, fetch: outbound.fetch, env, installation, builtin: builtinAgent }),
      ...extraAdapters,
    ],
    config,
    stats: { cells: () => counts.cells(), lastActivity: (type) => query.lastCompletion(type) },
    surroundings,
  });

  const queue = new MemoryQueue();
  const pause = await QueuePause.load(database, bus);
  const runs = new ActiveRuns();
  const admission = new TaskAdmission({ database, store, registry, queue, pause, surroundings });
  const failure = { store, deadLetters, notifications, surroundings };
  const recorder = new OutcomeRecorder({ ...failure, database, admission, config, log, metrics });
  const workspaces = new Workspaces(join(locations.data, 'workspaces'));
  const workerId = surroundings.newId('worker');
  const runner = new TaskRunner({
    database,
    store,
    registry,
    queue,
    pause,
    runs,
    recorder,
    workspaces,
    config,
    surroundings,
    log,
    workerId,
  });
  const recovery = new TaskRecovery({ ...failure, database, scan, admission, runs });
  const leases = new TaskLeases({ database, runs, surroundings, log });
  const devices = joinDevices({ ...shared, ...access, keyRing: keys });
  bus.on('agents_changed', () => {
    registry.revision++;
    recovery.admitWaiting().catch(reportBug);
  });
  const sweeper = new TaskSweeper({
    recovery,
    scan,
    admission,
    registry,
    endExpired: () => Promise.all([devices.pairing.deleteOld(), approvals.expire()]),
    tidy: () =>
      Promise.all([
        idempotency.deleteOld(surroundings.now()),
        forgetEndedRuns(database),
        inbound.removeOldInbound(),
        webhooks.removeOldDeliveries(),
        sourceComments.removeOld(),
        memoryWork.tidy(),
      ]),
    engine: database.engine,
    surroundings,
    log,
  });
  const tasks = new TaskService({
    database,
    store,
    idempotency,
    admission,
    queue,
    runs,
    config,
    surroundings,
  });
  const { notify, ...gateway } = joinGateway({ ...shared, store, query, tasks, outbound, log });
  const { sourceComments } = joinComments({ ...shared, ...oauth, fetch: outbound.fetch, log });
  const inbound = joinInbound({ ...shared, ...access, tasks, sourceComments, log });
  const schedules = joinSchedules({ ...shared, ...access, tasks, store, notifications, log });
  const queueStatus = new QueueStatusService({ counts, deadLetters, pause, config });
  const health = new HealthService({ ...chat, queueStatus, registry, sandbox, surroundings });

  return {
    config,
    log,
    bus,
    database,
    ...access,
    ...oauth,
    ...devices,
    ...gateway,
    ...chat,
    ...integrations,
    ...webhooks,
    ...inbound,
    sourceComments,
    ...schedules,
    ...memory,
    audit,
    auditEntries: new AuditService(new AuditStore(database)),
    policy,
    approvals,
    loadRuns,
    ownAddress,
    limits,
    isLoopback,
    registry,
    notifications,
    health,
    metrics,
    live: new LiveFeed({ bus, queueStatus, surroundings, log }),
    queue: new QueueService({ pause, recovery, status: queueStatus }),
    deadLetters: new DeadLetterService({ database, store, deadLetters, admission, bus, surroundings }),
    tasks,
    taskLists: new TaskListService({ database, query, counts, cursors }),
    taskAnalytics: new TaskAnalyticsService({ counts, query, surroundings }),
    taskEvents: new TaskEventReader({ database, store, bus }),
    taskExport: new TaskExport({ query, counts, surroundings }),
    taskImport: new TaskImport({ database, store }),

    /** Calls the listener with the type of each event of each task. */
    onTaskEvent: (listener: (type: TaskEventType) => void) =>
      bus.on('task', ({ event }) => listener(event.type)),

    /** Changes a setting; whoever works by it takes notice. */
    async setSetting(caller: Caller, key: string, value: unknown, client: ClientInfo) {
      const setting = await changeSetting(caller, key, value, client.address);
      if (key.startsWith('agents.')) bus.emit('agents_changed', undefined);
      await memoryWork.settingChanged(key);
      return setting;
    },

    /** Takes up what an earlier process left, and starts to work. */
    async start(): Promise<void> {
      await killMarked((run) => run.startsWith(`${installation}/`));
      await recovery.recover().catch((error: unknown) => {
        // A full disk is no reason not to serve what can be read; the sweeper tries again.
        if (!(error instanceof AppError)) throw error;
        log.warn({ reason: error.message }, 'earlier work could not be taken up yet');
      });
      await resumeMessages();
      await runner.start();
      leases.start();
      sweeper.start();
      notify.start();
      for (const part of [webhooks.webhookDeliverer, sourceComments, schedules.scheduler, memoryWork])
        part.start();
      health.phase = 'ready';
    },

    /** Takes no more work, lets what runs come to its end for a while, and closes everything. */
    async close(drainMs = DRAIN_MS): Promise<void> {
      health.phase = 'stopping';
      await sweeper.stop();
      await schedules.scheduler.stop();
      await runner.stop(drainMs);
      leases.stop();
      await (await joined)?.close();
      await Promise.all([notify.stop(), webhooks.webhookDeliverer.stop(), sourceComments.stop()]);
      await memoryWork.stop();
      await outbound.close();
      await toolOutbound.close();
      await modelOutbound.close();
      await release();
    },
  };
}

const bugReporter = (log: Log) => (error: unknown) => log.error({ err: error }, 'this is a bug in svc');

/** A secret that is made once and kept in the database. */
async function secretOf(database: Database, name: string, surroundings: Surroundings): Promise<string> {
  const known = await readState(database.read, name);
  if (known !== undefined) return known;
  const secret = surroundings.newSecret(24);
  await database.write(({ db }) => writeState(db, name, secret));
  return secret;
}
