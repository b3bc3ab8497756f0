import { freemem, loadavg, totalmem } from 'node:os';
import type { HealthLevel, HealthReport } from '../../contract/health.ts';
import type { ClusterReport } from '../../contract/cluster.ts';
import type { QueueStatus } from '../../contract/queue.ts';
import type { BackupSchedule, BackupScheduleStatus } from '../backup/backup-schedule.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ClusterServices } from '../cluster/cluster-services.ts';
import type { DaemonService } from '../cluster/daemon-service.ts';
import type { Drain } from '../tasks/drain.ts';
import type { Membership } from '../cluster/membership.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { AppError } from '../errors.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { QueueStatusService } from '../tasks/queue-status-service.ts';
import type { Runtime } from '../runtime.ts';
import type { Config } from '../config/config.ts';
import type { Sandbox, SandboxState } from '../processes/sandbox.ts';
import type { Database } from '../storage/database.ts';
import type { StorageFault } from '../storage/storage-fault.ts';
import { version } from '../version.ts';

type Phase = 'starting' | 'ready' | 'stopping';
type Assessment = [level: HealthLevel, message: string];

export interface HealthDeps {
  database: Pick<Database, 'checkNow' | 'space'>;
  queueStatus: QueueStatusService;
  registry: AgentRegistry;
  sandbox: Pick<Sandbox, 'check'>;
  config?: Pick<Config, 'get'>;
  modelProviders: Pick<ModelProviders, 'breakers'>;
  /** The daemons of the cluster; undefined where there is none. */
  membership?: Membership | undefined;
  daemon?: DaemonIdentity;
  daemons?: Pick<DaemonService, 'report'>;
  drain?: Pick<Drain, 'isDraining'> | undefined;
  cluster?: Pick<ClusterServices['cluster'], 'redis'>;
  backupSchedule?: Pick<BackupSchedule, 'status'>;
  runtime: Runtime;
}

/** Reports the health of the service by the thresholds of the interface. */
export class HealthService {
  phase: Phase = 'starting';
  readonly #deps: HealthDeps;
  readonly #startedAt: number;
  /** The last known values, used while the database cannot be read. */
  #known: Counts = noCounts;
  #knownAgents: Awaited<ReturnType<AgentRegistry['list']>> = [];

  #knownCluster: ClusterReport | undefined;

  constructor(deps: HealthDeps) {
    this.#deps = deps;
    this.#startedAt = deps.runtime.monotonic();
  }

  /** Whether the daemon can serve and store requests, and what to do if not. */
  async readiness(): Promise<{ status: Phase | 'draining' | 'unavailable'; reason?: string }> {
    if (this.phase !== 'ready') return { status: this.phase };
    const { database, drain, daemon } = this.#deps;
    const fault = await database.checkNow();
    if (fault) return { status: 'unavailable', reason: fault.message };
    if (drain?.isDraining)
      return {
        status: 'draining',
        reason: `This daemon takes no more tasks. Take it back: svc cluster resume ${daemon?.id}`,
      };
    return { status: this.phase };
  }

  async report(): Promise<HealthReport> {
    const { database, registry, sandbox, modelProviders, runtime } = this.#deps;
    const timestamp = runtime.now().toISOString();
    const { queues, deadLetterQueue } = await this.#counts();
    const agents = await this.#agents();
    const fault = await database.checkNow();
    const breakers = [...registry.breakers(), ...modelProviders.breakers()];
    const box = await sandbox.check();
    const backups = this.#deps.backupSchedule?.status() ?? { isOverdue: false };
    const redis = this.#deps.cluster?.redis;
    const redisFault = await redis?.fault();
    const active = queues.tasks.pending + queues.tasks.queued + queues.tasks.inProgress;
    const assessed = {
      queue: judgeQueue(active),
      adapters: judgeAdapters(agents, registry.defaultProblem()),
      circuitBreakers: judgeBreakers(breakers),
      deadLetterQueue: judgeDeadLetters(deadLetterQueue.pending),
      storage: judgeStorage(fault),
      backups: judgeBackups(backups),
      ...(redis && { redis: judgeRedis(redisFault?.message) }),
    };
    const component = ([status, message]: Assessment) => ({ status, message, lastChecked: timestamp });
    const total = totalmem();
    const used = total - freemem();
    return {
      status: worst(Object.values(assessed).map(([level]) => level)),
      version,
      timestamp,
      uptime: Math.round((runtime.monotonic() - this.#startedAt) / 1000),
      components: {
        queue: { ...component(assessed.queue), details: { ...queues.tasks, active } },
        adapters: {
          ...component(assessed.adapters),
          list: agents.map(({ type, name, healthy, latencyMs }) => ({
            type,
            name,
            healthy,
            ...(latencyMs !== undefined && { latencyMs }),
          })),
        },
        circuitBreakers: { ...component(assessed.circuitBreakers), list: breakers },
        deadLetterQueue: { ...component(assessed.deadLetterQueue), details: deadLetterQueue },
        storage: {
          ...component(assessed.storage),
          details: {
            ...(fault && { fault: fault.kind }),
            ...database.space.onDisk(),
          },
        },
        backups: { ...component(assessed.backups), details: backupDetails(backups) },
        ...(assessed.redis && {
          redis: {
            ...component(assessed.redis),
            details: {
              state: redisFault?.isAway ? ('away' as const) : ('up' as const),
              ...(redisFault && { since: redisFault.since.toISOString() }),
            },
          },
        }),
        // Healthy without a sandbox too: most commands then need an approval.
        commandSandbox: {
          ...component(['healthy', describeSandbox(box, this.#deps.config?.get('tools.unsandboxed'))]),
          details: { sandboxed: box.isWorking },
        },
      },
      ...(await this.#cluster()),
      system: {
        platform: process.platform,
        nodeVersion: process.version,
        memory: { used, total, percentage: Math.round((used / total) * 1000) / 10 },
        cpu: { loadAverage: loadavg() },
      },
    };
  }

  /** The daemons as they were last seen, while the database cannot be read. */
  async #cluster(): Promise<Pick<HealthReport, 'cluster'>> {
    const { membership, daemons } = this.#deps;
    if (!membership || !daemons) return {};
    this.#knownCluster = await daemons.report().catch(orElse(this.#knownCluster));
    return this.#knownCluster ? { cluster: this.#knownCluster } : {};
  }

  async #counts(): Promise<Counts> {
    this.#known = await this.#deps.queueStatus.read().catch(orElse(this.#known));
    return this.#known;
  }

  async #agents() {
    this.#knownAgents = await this.#deps.registry.list().catch(orElse(this.#knownAgents));
    return this.#knownAgents;
  }
}

type Counts = Pick<QueueStatus, 'queues' | 'deadLetterQueue'>;
const noCounts: Counts = {
  queues: { tasks: { pending: 0, queued: 0, inProgress: 0, completed: 0, failed: 0 } },
  deadLetterQueue: { pending: 0, resolved: 0, discarded: 0, total: 0 },
};

/** The storage component reports a database that cannot be read. */
const orElse =
  <T>(known: T) =>
  (error: unknown): T => {
    if (error instanceof AppError) return known;
    throw error;
  };

function judgeStorage(fault: StorageFault | undefined): Assessment {
  return fault ? ['unhealthy', fault.message] : ['healthy', 'Data can be stored'];
}

function judgeRedis(fault: string | undefined): Assessment {
  return fault === undefined ? ['healthy', 'Redis answers'] : ['degraded', fault];
}

export function judgeBackups({ every, lastAt, failure, isOverdue }: BackupScheduleStatus): Assessment {
  if (every === undefined) return ['healthy', 'No backups are scheduled'];
  if (failure !== undefined) return ['degraded', `The last backup failed: ${failure}`];
  if (isOverdue) return ['degraded', `A backup is overdue; one is due every ${every}`];
  return ['healthy', lastAt === undefined ? 'The first backup is due' : `Last backup: ${lastAt}`];
}

const backupDetails = ({ every, lastAt, lastBytes }: BackupScheduleStatus) => ({
  ...(every !== undefined && { every }),
  ...(lastAt !== undefined && { lastAt }),
  ...(lastBytes !== undefined && { lastBytes }),
});

export function judgeQueue(active: number): Assessment {
  if (active > 500) return ['unhealthy', 'Critical queue depth'];
  if (active > 100) return ['degraded', 'High queue depth detected'];
  return ['healthy', 'Queue depth is normal'];
}

export function judgeDeadLetters(pending: number): Assessment {
  if (pending >= 50) return ['unhealthy', 'Immediate attention required'];
  if (pending >= 10) return ['degraded', 'Review recommended'];
  return ['healthy', 'Few tasks wait for a review'];
}

/** Only configured agents count, and the default agent, which takes every task without a named one. */
function judgeAdapters(
  agents: { configured: boolean; healthy: boolean }[],
  defaultProblem: string | undefined,
): Assessment {
  const configured = agents.filter((agent) => agent.configured);
  const unhealthy = configured.filter((agent) => !agent.healthy).length;
  if (configured.length > 0 && unhealthy === configured.length) return ['unhealthy', 'No agent is healthy'];
  if (defaultProblem !== undefined) return ['degraded', defaultProblem];
  if (unhealthy > 0) return ['degraded', `${unhealthy} of ${configured.length} agents are not healthy`];
  return ['healthy', `${configured.length} agents are ready`];
}

function describeSandbox(box: SandboxState, unsandboxed: 'ask' | 'allow' = 'ask'): string {
  if (box.isWorking) return 'Commands of tools run in a sandbox';
  const inFull = unsandboxed === 'allow' ? ', except for administrators in the mode full' : '';
  return `Commands of tools are not sandboxed. Those that only read run, others need an approval${inFull}: ${box.reason}`;
}

function judgeBreakers(breakers: { state: string }[]): Assessment {
  const open = breakers.filter((breaker) => breaker.state !== 'closed').length;
  return open > 0
    ? ['degraded', `${open} circuit breakers are open`]
    : ['healthy', 'All circuit breakers are closed'];
}

const levels: HealthLevel[] = ['healthy', 'degraded', 'unhealthy'];
const worst = (found: HealthLevel[]): HealthLevel =>
  levels[Math.max(...found.map((level) => levels.indexOf(level)))] ?? 'healthy';
