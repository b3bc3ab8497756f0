import { freemem, loadavg, totalmem } from 'node:os';
import type { HealthLevel, HealthReport } from '../../contract/health.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { QueueStatusService } from '../tasks/queue-status-service.ts';
import type { Runtime } from '../runtime.ts';
import type { Sandbox, SandboxState } from '../processes/sandbox.ts';
import { version } from '../version.ts';

type Phase = 'starting' | 'ready' | 'stopping';
type Judgement = [level: HealthLevel, message: string];

export interface HealthDeps {
  queueStatus: QueueStatusService;
  registry: AgentRegistry;
  sandbox: Pick<Sandbox, 'check'>;
  modelProviders: Pick<ModelProviders, 'breakers'>;
  runtime: Runtime;
}

/** Judges the state of the service by the thresholds of the interface. */
export class HealthService {
  phase: Phase = 'starting';
  readonly #deps: HealthDeps;
  readonly #startedAt: number;

  constructor(deps: HealthDeps) {
    this.#deps = deps;
    this.#startedAt = deps.runtime.monotonic();
  }

  async report(): Promise<HealthReport> {
    const { queueStatus, registry, sandbox, modelProviders, runtime } = this.#deps;
    const timestamp = runtime.now().toISOString();
    const { queues, deadLetterQueue } = await queueStatus.read();
    const agents = await registry.list();
    const breakers = [...registry.breakers(), ...modelProviders.breakers()];
    const box = await sandbox.check();
    const active = queues.tasks.pending + queues.tasks.queued + queues.tasks.inProgress;
    const judged = {
      queue: judgeQueue(active),
      adapters: judgeAdapters(agents, registry.defaultProblem()),
      circuitBreakers: judgeBreakers(breakers),
      deadLetterQueue: judgeDeadLetters(deadLetterQueue.pending),
    };
    const component = ([status, message]: Judgement) => ({ status, message, lastChecked: timestamp });
    const total = totalmem();
    const used = total - freemem();
    return {
      status: worst(Object.values(judged).map(([level]) => level)),
      version,
      timestamp,
      uptime: Math.round((runtime.monotonic() - this.#startedAt) / 1000),
      components: {
        queue: { ...component(judged.queue), details: { ...queues.tasks, active } },
        adapters: {
          ...component(judged.adapters),
          list: agents.map(({ type, name, healthy, latencyMs }) => ({
            type,
            name,
            healthy,
            ...(latencyMs !== undefined && { latencyMs }),
          })),
        },
        circuitBreakers: { ...component(judged.circuitBreakers), list: breakers },
        deadLetterQueue: { ...component(judged.deadLetterQueue), details: deadLetterQueue },
        // Without one the service works all the same: commands then need a person.
        commandSandbox: {
          ...component(['healthy', spellSandbox(box)]),
          details: { sandboxed: box.isWorking },
        },
      },
      system: {
        platform: process.platform,
        nodeVersion: process.version,
        memory: { used, total, percentage: Math.round((used / total) * 1000) / 10 },
        cpu: { loadAverage: loadavg() },
      },
    };
  }
}

export function judgeQueue(active: number): Judgement {
  if (active > 500) return ['unhealthy', 'Critical queue depth'];
  if (active > 100) return ['degraded', 'High queue depth detected'];
  return ['healthy', 'Queue depth is normal'];
}

export function judgeDeadLetters(pending: number): Judgement {
  if (pending >= 50) return ['unhealthy', 'Immediate attention required'];
  if (pending >= 10) return ['degraded', 'Review recommended'];
  return ['healthy', 'Few tasks wait for a review'];
}

/** Only agents that somebody configured count, and the default, which every task without a name gets. */
function judgeAdapters(
  agents: { configured: boolean; healthy: boolean }[],
  defaultProblem: string | undefined,
): Judgement {
  const configured = agents.filter((agent) => agent.configured);
  const ill = configured.filter((agent) => !agent.healthy).length;
  if (configured.length > 0 && ill === configured.length) return ['unhealthy', 'No agent is healthy'];
  if (defaultProblem !== undefined) return ['degraded', defaultProblem];
  if (ill > 0) return ['degraded', `${ill} of ${configured.length} agents are not healthy`];
  return ['healthy', `${configured.length} agents are ready`];
}

const spellSandbox = (box: SandboxState): string =>
  box.isWorking
    ? 'Commands of tools run in a sandbox'
    : `Commands of tools are not sandboxed, so a person is asked before each: ${box.reason}`;

function judgeBreakers(breakers: { state: string }[]): Judgement {
  const open = breakers.filter((breaker) => breaker.state !== 'closed').length;
  return open > 0
    ? ['degraded', `${open} circuit breakers are open`]
    : ['healthy', 'All circuit breakers are closed'];
}

const levels: HealthLevel[] = ['healthy', 'degraded', 'unhealthy'];
const worst = (found: HealthLevel[]): HealthLevel =>
  levels[Math.max(...found.map((level) => levels.indexOf(level)))] ?? 'healthy';
