import type { Locations } from '../contract/locations.ts';
import type { TaskEventType } from '../contract/task.ts';
import type { AgentAdapter } from './agents/agent-adapter.ts';
import { composeApprovals } from './approvals/compose-approvals.ts';
import { AuditLog } from './audit/audit-log.ts';
import { AuditService } from './audit/audit-service.ts';
import { AuditStore } from './audit/audit-store.ts';
import { composeAuth } from './auth/compose-auth.ts';
import { composeChat } from './chat/compose-chat.ts';
import { SESSION_MS } from './chat/runs/session-time.ts';
import type { Config } from './config/config.ts';
import { composeDevices } from './devices/compose-devices.ts';
import { EventBus } from './events.ts';
import { composeGateway } from './gateway/compose-gateway.ts';
import { HealthService } from './health/health-service.ts';
import { composeComments } from './integrations/comments/compose-comments.ts';
import { composeInbound } from './integrations/inbound/compose-inbound.ts';
import { IntegrationStatus } from './integrations/integration-status.ts';
import { composeOAuth } from './integrations/oauth/compose-oauth.ts';
import { Lifecycles } from './lifecycle.ts';
import { RateLimits } from './limits/rate-limits.ts';
import { LiveFeed } from './live/live-feed.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics/metrics.ts';
import { composeMemory } from './memory/compose-memory.ts';
import { NotificationService } from './notifications/notification-service.ts';
import { isLoopbackHost } from './outbound/address-rules.ts';
import { composeOutbound } from './outbound/compose-outbound.ts';
import { PolicyService } from './policy/policy-service.ts';
import { composeProcesses } from './processes/compose-processes.ts';
import { composeProviders, type ModelOptions } from './providers/compose-providers.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import { composeSchedules } from './schedules/compose-schedules.ts';
import { KeyRing } from './secrets/key-ring.ts';
import { SettingService } from './settings/setting-service.ts';
import { composeStorage } from './storage/compose-storage.ts';
import { composeTaskExecution } from './tasks/compose-task-execution.ts';
import { composeTasks } from './tasks/compose-tasks.ts';
import { WebSearch } from './web-search/web-search.ts';
import { composeWebhooks } from './webhooks/compose-webhooks.ts';

const DRAIN_MS = 30_000;

export interface AppOptions {
  config: Config;
  locations: Locations;
  env: Record<string, string | undefined>;
  log: Log;
  runtime?: Runtime;
  /** Agents in addition to those that come with svc, for benchmarks and tests. */
  extraAdapters?: AgentAdapter[];
  /** The wall time of an agentic run; three minutes unless a test gives its own. */
  sessionMs?: number;
  /** For tests. */
  models?: ModelOptions;
}
export type App = Awaited<ReturnType<typeof createApp>>;

/** Builds the product from its features, in dependency order; it works once it is started. */
export async function createApp(options: AppOptions) {
  const { runtime = systemRuntime, log } = options;
  const lifecycles = new Lifecycles({ monotonic: runtime.monotonic, log });
  try {
    return await composeFeatures({ ...options, runtime }, lifecycles);
  } catch (error) {
    await lifecycles.stop(0);
    throw error;
  }
}

async function composeFeatures(options: AppOptions & { runtime: Runtime }, lifecycles: Lifecycles) {
  const { config, locations, env, log, runtime } = options;
  const { extraAdapters = [], sessionMs = SESSION_MS, models = {} } = options;
  const reportBug = (error: unknown) => log.error({ err: error }, 'this is a bug in svc');

  const synchronous = config.get('storage.synchronous');
  const cacheMiB = config.get('storage.cacheMiB');
  const { database } = lifecycles.add(await composeStorage({ locations, synchronous, cacheMiB, reportBug }));
  const bus = new EventBus();
  const keys = await KeyRing.load(database, locations.identityFile);
  config.useBox(keys.box);
  const audit = new AuditLog(runtime);
  const limits = new RateLimits(runtime.monotonic);
  const isLoopback = isLoopbackHost(config.get('server.host'));
  const metrics = createMetrics(bus, runtime);
  const stored = { database, bus, config, keys, audit, limits };
  const ground = { ...stored, runtime, locations, env, log, reportBug, metrics };

  const { outbound, toolOutbound, ownAddress } = lifecycles.add(composeOutbound(ground));
  const { fetch } = outbound;
  const { installation, ...processes } = lifecycles.add(await composeProcesses(ground));
  const auth = lifecycles.add(await composeAuth({ ...ground, isLoopback }));
  const notifications = new NotificationService(ground);
  const policy = await PolicyService.load(ground);
  const approvals = lifecycles.add(composeApprovals({ ...ground, notifications }));
  const { modelProviders, modelCalls } = lifecycles.add(composeProviders({ ...ground, models }));
  const settings = new SettingService({ ...ground, modelProviders });
  const memory = lifecycles.add(composeMemory({ ...ground, ...processes, modelProviders, settings }));
  const webSearch = new WebSearch({ ...ground, outbound });
  const { webhooks, webhookOutbox: outbox } = lifecycles.add(
    await composeWebhooks({ ...ground, notifications, outbound }),
  );
  const { execution, ...tasks } = lifecycles.add(
    await composeTasks({ ...ground, fetch, installation, extraAdapters, notifications, outbox }),
  );
  const { taskStore: store, taskQuery: query, taskEndings: endings } = tasks;
  const chat = lifecycles.add(
    composeChat({
      ...ground,
      ...processes,
      ...approvals,
      ...memory,
      models,
      installation,
      sessionMs,
      policy,
      webSearch,
      outbound: toolOutbound,
      providers: modelProviders,
      calls: modelCalls,
      users: auth.users,
      tasks: tasks.tasks,
      store,
      endings,
    }),
  );
  tasks.registry.register(chat.builtinAgent);
  const gateway = lifecycles.add(
    composeGateway({
      ...ground,
      tasks: tasks.tasks,
      registry: tasks.registry,
      store,
      query,
      endings,
      outbound,
    }),
  );
  const oauth = lifecycles.add(composeOAuth({ ...ground, ...auth, fetch }));
  const { connections } = oauth;
  const { sourceComments } = lifecycles.add(composeComments({ ...ground, connections, fetch }));
  const { inbound } = lifecycles.add(
    composeInbound({
      ...ground,
      users: auth.users,
      tasks: tasks.tasks,
      registry: tasks.registry,
      sourceComments,
    }),
  );
  const integrationStatus = new IntegrationStatus({ ...ground, connections, fetch });
  const devices = lifecycles.add(composeDevices({ ...ground, ...auth, keyRing: keys }));
  lifecycles.add(composeTaskExecution({ ...execution, workspaces: processes.workspaces }));
  const schedules = lifecycles.add(
    composeSchedules({
      ...ground,
      tasks: tasks.tasks,
      registry: tasks.registry,
      store,
      endings,
      notifications,
    }),
  );
  const { registry, queueStatus } = tasks;
  const health = new HealthService({
    queueStatus,
    registry,
    modelProviders,
    runtime,
    sandbox: processes.sandbox,
  });

  return {
    ...ground,
    ...auth,
    ...oauth,
    ...devices,
    ...gateway,
    ...memory,
    ...chat,
    ...tasks,
    ...schedules,
    policy,
    settings,
    modelProviders,
    notifications,
    webSearch,
    webhooks,
    inbound,
    sourceComments,
    integrationStatus,
    health,
    isLoopback,
    ownAddress,
    approvals: approvals.approvals,
    auditEntries: new AuditService(new AuditStore(database)),
    live: new LiveFeed({ bus, queueStatus, runtime, log }),

    /** Calls the listener with the type of each event of each task. */
    onTaskEvent: (listener: (type: TaskEventType) => void) =>
      bus.on('task', ({ event }) => listener(event.type)),

    /** Removes now what is past its retention, as the daemon does every few minutes. */
    tidy: () => lifecycles.tidy(),

    /** Resumes what an earlier daemon left, and starts to work. */
    async start(): Promise<void> {
      await lifecycles.start();
      health.phase = 'ready';
    },

    /** Takes no more work, lets running work finish for a while, and closes everything. */
    async close(drainMs = DRAIN_MS): Promise<void> {
      health.phase = 'stopping';
      await lifecycles.stop(drainMs);
    },
  };
}
