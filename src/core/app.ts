import type { Locations } from '../contract/locations.ts';
import type { ReportStart } from '../contract/start-step.ts';
import { AGENTIC_MS } from '../contract/run-events.ts';
import { composeAgentPrograms } from './agent-programs/compose-agent-programs.ts';
import type { AgentAdapter } from './agents/agent-adapter.ts';
import { composeApprovals } from './approvals/compose-approvals.ts';
import { composeAudit } from './audit/compose-audit.ts';
import { composeAuth } from './auth/compose-auth.ts';
import { composeBackup } from './backup/compose-backup.ts';
import { composeBudgets } from './budgets/compose-budgets.ts';
import { composeCandidates } from './candidates/compose-candidates.ts';
import { composeChanges } from './changes/compose-changes.ts';
import { composeChat } from './chat/compose-chat.ts';
import { composeMembership } from './cluster/compose-membership.ts';
import { composeDaemons } from './cluster/compose-daemons.ts';
import { composeCluster } from './cluster/compose-cluster.ts';
import { Composition } from './composition.ts';
import type { Config } from './config/config.ts';
import { requireProSettings } from './config/require-pro-settings.ts';
import { composeDevices } from './devices/compose-devices.ts';
import { EventBus } from './events.ts';
import { composeA2a, composeAgentNotices } from './a2a/compose-a2a.ts';
import { composeGateway } from './gateway/compose-gateway.ts';
import { composeHealth } from './health/compose-health.ts';
import { composeComments } from './integrations/comments/compose-comments.ts';
import { composeInbox } from './inbox/compose-inbox.ts';
import { composeIntegrations } from './integrations/compose-integrations.ts';
import { composeInbound } from './integrations/inbound/compose-inbound.ts';
import { composeOAuth } from './integrations/oauth/compose-oauth.ts';
import { composePullRequests } from './integrations/pull-requests/compose-pull-requests.ts';
import { Lifecycles } from './lifecycle.ts';
import { OpenStreams } from './limits/open-streams.ts';
import { composeLive } from './live/compose-live.ts';
import type { Log, LogTrace } from './log.ts';
import { composeMcpServer } from './mcp-server/compose-mcp-server.ts';
import { composeMemory } from './memory/compose-memory.ts';
import { createMetrics } from './metrics/metrics.ts';
import { composeNotifications } from './notifications/compose-notifications.ts';
import { isLoopbackHost } from './text/loopback-host.ts';
import { composeOpenAiApi } from './openai-api/compose-openai-api.ts';
import { composeOutbound } from './outbound/compose-outbound.ts';
import { composePolicy } from './policy/compose-policy.ts';
import { composeProcesses } from './processes/compose-processes.ts';
import { composeProviders, type ModelOptions } from './providers/compose-providers.ts';
import { composePush } from './push/compose-push.ts';
import { composeRetention } from './retention/compose-retention.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import { composeSchedules } from './schedules/compose-schedules.ts';
import { composeSecrets } from './secrets/compose-secrets.ts';
import { composeSharedSettings } from './settings/compose-shared-settings.ts';
import { composeSettings } from './settings/compose-settings.ts';
import { SharedClock } from './shared-clock.ts';
import { composeStorage } from './storage/compose-storage.ts';
import { composeTelemetry } from './telemetry/compose-telemetry.ts';
import { composeTaskExecution } from './tasks/compose-task-execution.ts';
import { composeTasks } from './tasks/compose-tasks.ts';
import { headColumns } from './tasks/task-columns.ts';
import { composeUsage } from './usage/compose-usage.ts';
import { composeWebSearch } from './web-search/compose-web-search.ts';
import { composeWebhooks } from './webhooks/compose-webhooks.ts';
import { composeWorktrees } from './worktrees/compose-worktrees.ts';

const DRAIN_MS = 30_000;

export interface AppOptions {
  config: Config;
  locations: Locations;
  env: Record<string, string | undefined>;
  log: Log;
  /** Gets a way to read the active span, where telemetry is exported. */
  logTrace?: LogTrace;
  runtime?: Runtime;
  /** Is called before each step of an upgrade of the database. */
  onStartStep?: ReportStart;
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
  const { log, config, locations } = options;
  requireProSettings(config, locations.identityFile);
  const clock = new SharedClock(systemRuntime);
  const ownRuntime = config.get('mode') === 'pro' ? { ...systemRuntime, now: clock.now } : systemRuntime;
  const { runtime = ownRuntime } = options;
  const lifecycles = new Lifecycles({ monotonic: runtime.monotonic, log });
  try {
    const services = await composeFeatures({ ...options, runtime, clock }, lifecycles).services;
    lifecycles.shareRounds(services.leases);
    return {
      ...services,
      /** Removes now what is past its retention, as the daemon does every few minutes. */
      tidy: () => lifecycles.tidy(),
      /** Resumes what an earlier daemon left, and starts to work. */
      start: () => lifecycles.start(),
      /** Takes no more work, lets running work finish for a while, and closes everything. */
      close: (drainMs = DRAIN_MS) => lifecycles.stop(drainMs),
    };
  } catch (error) {
    await lifecycles.stop(0);
    throw error;
  }
}

/** Each feature gets the services of those above it; they start in this order and stop in reverse. */
function composeFeatures(
  options: AppOptions & { runtime: Runtime; clock: SharedClock },
  lifecycles: Lifecycles,
) {
  const { config, log, runtime } = options;
  const bus = new EventBus();
  const ground = {
    extraAdapters: [],
    sessionMs: AGENTIC_MS,
    models: {},
    taskColumns: headColumns,
    ...options,
    bus,
    openStreams: new OpenStreams(() => config.get('limits.streamsPerUser')),
    metrics: createMetrics(bus, runtime),
    loadMask: async () => (await import('./tools/mask-secrets.ts')).maskValue,
    isLoopback: isLoopbackHost(config.get('server.host')),
    reportBug: (error: unknown) => log.error({ err: error }, 'this is a bug in svc'),
  };
  return (
    new Composition(ground, lifecycles)
      .add(composeStorage)
      .add(composeMembership)
      .add(composeCluster)
      .add(composeSecrets)
      .add(composeSharedSettings)
      .add(composeAudit)
      .add(composeOutbound)
      .add(composeTelemetry)
      .add(composeProcesses)
      .add(composeAuth)
      .add(composeNotifications)
      .add(composePolicy)
      .add(composeWebhooks)
      .add(composeAgentNotices)
      .add(composePush)
      .add(composeApprovals)
      .add(composeUsage)
      .add(composeBudgets)
      .add(composeProviders)
      .add(composeSettings)
      .add(composeMemory)
      .add(composeWebSearch)
      .add(composeWorktrees)
      .add(composeTasks)
      .add(composeChanges)
      .add(composeChat)
      .add(composeAgentPrograms)
      .add(composeCandidates)
      .add(composeGateway)
      .add(composeA2a)
      .add(composeOpenAiApi)
      .add(composeOAuth)
      .add(composePullRequests)
      .add(composeComments)
      .add(composeInbound)
      .add(composeIntegrations)
      .add(composeDevices)
      // Execution starts after everything that reacts to what tasks do.
      .add(({ execution, ...services }) => composeTaskExecution({ ...services, ...execution }))
      .add(composeDaemons)
      .add(composeSchedules)
      .add(composeRetention)
      .add(composeBackup)
      .add(composeLive)
      .add(composeInbox)
      .add(composeMcpServer)
      .add(composeHealth)
  );
}
