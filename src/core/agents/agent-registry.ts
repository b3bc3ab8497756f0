import { z } from 'zod';
import type { Agent, AgentDetail, AgentNeed, AgentState } from '../../contract/agents.ts';
import type { CreateTask } from '../../contract/task.ts';
import type { Config } from '../config/config.ts';
import { messageOf } from '../errors.ts';
import { CircuitBreaker } from '../limits/circuit-breaker.ts';
import type { Runtime } from '../runtime.ts';
import { type CountCell, sumBy } from '../storage/task-count-store.ts';
import { limitProblem } from './limit-fields.ts';
import { settingsOfAgent } from './settings-of-agent.ts';
import { type AgentAdapter, AgentFailure, type AgentHealth } from './agent-adapter.ts';

const HEALTH_TIMEOUT_MS = 2000;
const HEALTH_FRESH_MS = 5000;

/** The columns of a task that decide which agent it gets. */
export interface Assignment {
  assigned_agent: string | null;
  /** A JSON list. */
  labels: string;
  /** 1 when the creator may run commands. */
  may_command: number;
  /** Not null where a rule of an administrator lets an agent work on text of others, see `agent-grant.ts`. */
  agent_rule: string | null;
  /** Not null where it has candidates. */
  best_of: string | null;
}
export type Choice =
  | { adapter: AgentAdapter }
  /**
   * `isTemporary`: the agent is there, and works as soon as a person has logged in. `agent`: its type, where another
   * daemon may have it ready.
   */
  | { missing: string; isTemporary?: boolean; agent?: string };

interface Entry {
  adapter: AgentAdapter;
  breaker: CircuitBreaker;
  health?: AgentHealth;
  checkedAt: number;
  checking?: Promise<AgentHealth>;
  lastActivity?: string;
}
export interface AgentStats {
  cells(): Promise<CountCell[]>;
  lastActivity(type: string): Promise<string | undefined>;
}

/** Holds the agents with their health and circuit breakers, and assigns tasks to them. */
export class AgentRegistry {
  /** Increases whenever the assignment of tasks may change. */
  revision = 0;
  readonly #entries = new Map<string, Entry>();
  #bestOf: AgentAdapter | undefined;
  readonly #config: Config;
  readonly #stats: AgentStats;
  readonly #runtime: Runtime;

  constructor(deps: { adapters: AgentAdapter[]; config: Config; stats: AgentStats; runtime: Runtime }) {
    this.#config = deps.config;
    this.#stats = deps.stats;
    this.#runtime = deps.runtime;
    for (const adapter of deps.adapters) this.register(adapter);
  }

  /** Registers an agent; replaces one of the same type. */
  register(adapter: AgentAdapter): void {
    this.#entries.set(adapter.type, {
      adapter,
      breaker: new CircuitBreaker(isFaultOf(adapter), this.#runtime.monotonic),
      checkedAt: Number.NEGATIVE_INFINITY,
    });
  }

  /** Registers what runs tasks with candidates, which nobody can name as an agent. */
  registerBestOf(adapter: AgentAdapter): void {
    this.#bestOf = adapter;
  }

  remove(type: string): void {
    this.#entries.delete(type);
    this.revision++;
  }

  types(): string[] {
    return [...this.#entries.keys()];
  }

  /** Whether an agent of this daemon can run tasks. */
  isReady(type: string): boolean {
    if (type === this.#bestOf?.type) return true;
    const entry = this.#entries.get(type);
    return entry !== undefined && problemOf(entry.adapter) === undefined;
  }

  /** Why the default agent cannot run, with the command that changes it; undefined where it can. */
  defaultProblem(): string | undefined {
    const type = this.#defaultType();
    const entry = this.#entries.get(type);
    if (!entry && this.#config.get('agents.default') === undefined) return undefined;
    if (!entry)
      return `There is no agent "${type}", which is the default. Set another: svc config set agents.default builtin`;
    const { adapter } = entry;
    if (adapter.problem) {
      const problem = problemOf(adapter);
      return problem && `The default agent "${type}" cannot run. ${problem.message}`;
    }
    const missing = adapter.missingConfig();
    return missing === undefined ? undefined : `The default agent "${type}" cannot run: it needs ${missing}`;
  }

  /** The agents whose login was refused, with what to do about it. */
  needingLogin(): { type: string; name: string; message: string; hint: string }[] {
    return [...this.#entries.values()].flatMap(({ adapter }) => {
      const problem = adapter.problem?.();
      if (problem?.state !== 'needs_login') return [];
      const { type, name } = adapter;
      return [{ type, name, message: problem.message, hint: problem.next }];
    });
  }

  /** The needs of each agent that has any. */
  needs(): Record<string, AgentNeed[]> {
    const adapters = [...this.#entries.values()].map(({ adapter }) => adapter);
    return Object.fromEntries(
      adapters.filter(({ needs }) => needs.length > 0).map(({ type, needs }) => [type, [...needs]]),
    );
  }

  /** Whether only callers with command rights may use this agent. */
  needsCommandRights(type: string): boolean {
    return this.#entries.get(type)?.adapter.needs.includes('command') ?? false;
  }

  /** Whether the task needs command rights: because of its agent, its directory, its variables or its verification. */
  usesCommands({
    assignedAgent,
    cwd,
    env,
    verify,
    bestOf,
  }: Pick<CreateTask, 'assignedAgent' | 'cwd' | 'env' | 'verify' | 'bestOf'>): boolean {
    if ([cwd, env, verify, bestOf].some((field) => field !== undefined)) return true;
    return assignedAgent !== undefined && this.needsCommandRights(assignedAgent);
  }

  /** Whether the agent is a program of its own: it keeps sessions that other tasks can continue, and has models of its own. */
  isProgram(type = this.#defaultType()): boolean {
    return this.#entries.get(type)?.adapter.driver !== undefined;
  }

  /** Why the agent that the task names cannot take it; undefined where it can, or is not known yet. */
  limitProblem(
    task: Parameters<typeof limitProblem>[1] & Pick<CreateTask, 'assignedAgent'>,
  ): string | undefined {
    const entry = task.assignedAgent === undefined ? undefined : this.#entries.get(task.assignedAgent);
    return entry && limitProblem(entry.adapter, task);
  }

  /** Milliseconds for which an agent takes no work, because its circuit breaker is open or its usage limit is used up. */
  blockedForMs(type: string): number {
    const entry = this.#entries.get(type);
    return Math.max(entry?.breaker.blockedForMs ?? 0, entry?.adapter.closedForMs?.() ?? 0);
  }

  breakerOf(type: string): CircuitBreaker | undefined {
    return this.#entries.get(type)?.breaker;
  }

  breakers() {
    return [...this.#entries.values()].map(({ adapter, breaker }) => ({
      name: adapter.type,
      state: breaker.state,
      failures: breaker.failures,
      successes: breaker.successes,
    }));
  }

  /** An agent with its settings, after a check; undefined where there is none of this type. */
  async find(type: string): Promise<AgentDetail | undefined> {
    const entry = this.#entries.get(type);
    if (!entry) return undefined;
    const described = await this.#describe(entry, await this.#stats.cells());
    return { ...described, ...settingsOfAgent(type, this.#config), ...entry.adapter.detail?.() };
  }

  /** Checks all agents at the same time, each at most every five seconds. */
  async list(): Promise<Agent[]> {
    const cells = await this.#stats.cells();
    return Promise.all([...this.#entries.values()].map((entry) => this.#describe(entry, cells)));
  }

  /**
   * Chooses the named agent, else the healthy one whose capabilities match most labels, else the default. Returns what is
   * missing, as a sentence for the user, where none fits.
   */
  choose(task: Assignment): Choice {
    if (task.best_of !== null) return this.#forCandidates(task);
    if (task.assigned_agent !== null) return this.#named(task.assigned_agent, task);
    const byLabels = this.#byLabels(task);
    if (byLabels) return { adapter: byLabels };
    return this.#named(this.#standIn(task) ?? this.#defaultType(), task);
  }

  /** The agent whose capabilities match most labels of the task. */
  #byLabels(task: Assignment): AgentAdapter | undefined {
    if (task.labels === '[]') return undefined;
    const labels = new Set(JSON.parse(task.labels) as string[]);
    let best: { adapter: AgentAdapter; matches: number } | undefined;
    for (const { adapter, health } of this.#entries.values()) {
      if (!adapter.isChosenByLabels || adapter.missingConfig() !== undefined || health?.healthy === false)
        continue;
      if (!mayTake(adapter, task) || isClosed(adapter)) continue;
      const matches = adapter.capabilities.filter((capability) => labels.has(capability)).length;
      if (matches > (best?.matches ?? 0)) best = { adapter, matches };
    }
    return best?.adapter;
  }

  #forCandidates(task: Assignment): Choice {
    if (this.#bestOf && mayTake(this.#bestOf, task)) return { adapter: this.#bestOf };
    return { missing: 'Only users with command rights may compare candidates.' };
  }

  /** Another program in place of the default one, while the usage limit of that is used up. */
  #standIn(task: Assignment): string | undefined {
    const chosen = this.#entries.get(this.#defaultType())?.adapter;
    if (!chosen?.driver || !isClosed(chosen)) return undefined;
    for (const { adapter } of this.#entries.values())
      if (adapter.driver && !isClosed(adapter) && !adapter.missingConfig() && mayTake(adapter, task))
        return adapter.type;
    return undefined;
  }

  /** Looks again at the agent that a task would get, and tries a login that was refused. */
  async reconsider({ assigned_agent: named }: Assignment): Promise<void> {
    await this.#entries.get(named ?? this.#defaultType())?.adapter.reconsider?.();
  }

  #defaultType(): string {
    return this.#config.get('agents.default') ?? 'builtin';
  }

  #named(type: string, task: Assignment): Choice {
    const entry = this.#entries.get(type);
    if (!entry)
      return { missing: `There is no agent "${type}". There are: ${this.types().join(', ')}.`, agent: type };
    if (!mayTake(entry.adapter, task))
      return { missing: `The agent "${type}" only takes tasks from users with command rights.` };
    const problem = problemOf(entry.adapter);
    return problem
      ? {
          missing: problem.message,
          agent: type,
          ...(problem.state === 'needs_login' && { isTemporary: true }),
        }
      : { adapter: entry.adapter };
  }

  async #describe(entry: Entry, cells: CountCell[]): Promise<Agent> {
    const { adapter } = entry;
    await adapter.look?.();
    // A program may have been installed meanwhile.
    const checked =
      adapter.driver !== undefined || adapter.missingConfig() === undefined
        ? await this.#check(entry)
        : undefined;
    const missing = adapter.missingConfig();
    const health = checked ?? { healthy: false, message: `It needs ${missing}` };
    const own = cells.filter((cell) => cell.agent === adapter.type);
    const byStatus = sumBy(own, (cell) => cell.status);
    const completed = byStatus['completed'] ?? 0;
    const duration = own.reduce((sum, cell) => sum + cell.duration, 0);
    const lastActivity = completed > 0 ? await this.#stats.lastActivity(adapter.type) : undefined;
    return {
      type: adapter.type,
      name: adapter.name,
      description: adapter.description,
      capabilities: adapter.capabilities,
      ...(adapter.needs.length > 0 && { needs: [...adapter.needs] }),
      state: missing !== undefined ? 'not_configured' : health.healthy ? 'ready' : 'unhealthy',
      ...adapter.describe?.(),
      ...this.#closing(adapter),
      configured: missing === undefined,
      isDefault: this.#defaultType() === adapter.type,
      ...health,
      ...(lastActivity !== undefined && { lastActivity }),
      stats: {
        completed,
        failed: byStatus['failed'] ?? 0,
        avgDuration: completed > 0 ? Math.round(duration / completed) : 0,
      },
      ...(adapter.configSchema && {
        configSchema: z.toJSONSchema(adapter.configSchema) as Agent['configSchema'],
      }),
    };
  }

  #closing(adapter: AgentAdapter): Pick<Agent, 'closedUntil'> {
    const ms = adapter.closedForMs?.() ?? 0;
    return ms > 0 ? { closedUntil: new Date(this.#runtime.now().getTime() + ms).toISOString() } : {};
  }

  /** Runs at most one check per agent at a time; its result is valid for five seconds. */
  async #check(entry: Entry): Promise<AgentHealth> {
    if (entry.health && this.#runtime.monotonic() - entry.checkedAt < HEALTH_FRESH_MS) return entry.health;
    entry.checking ??= checkOnce(entry.adapter).finally(() => delete entry.checking);
    const before = entry.health?.healthy;
    entry.health = await entry.checking;
    if (before !== entry.health.healthy) this.revision++;
    entry.checkedAt = this.#runtime.monotonic();
    return entry.health;
  }
}

/** Why an agent cannot run, with what to do about it. */
function problemOf(adapter: AgentAdapter): { state: AgentState; message: string } | undefined {
  if (adapter.problem) return adapter.problem();
  const missing = adapter.missingConfig();
  if (missing === undefined) return undefined;
  const message = `The agent "${adapter.type}" is not configured: it needs ${missing}`;
  return { state: 'not_configured', message };
}

/** A rule is about programs, which run in the sandbox; never about the agent that runs a prompt as a command. */
const mayTake = ({ needs, driver, type }: AgentAdapter, task: Assignment) =>
  task.may_command === 1 ||
  !needs.includes('command') ||
  (task.agent_rule !== null && task.assigned_agent === type && driver !== undefined);

const isClosed = (adapter: AgentAdapter) => (adapter.closedForMs?.() ?? 0) > 0;

const isFaultOf = (adapter: AgentAdapter) => (error: unknown) =>
  error instanceof AgentFailure && adapter.faults.includes(error.failure);

async function checkOnce(adapter: AgentAdapter): Promise<AgentHealth> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  const late = new Promise<AgentHealth>((resolve) => {
    signal.addEventListener('abort', () =>
      resolve({ healthy: false, message: `No answer within ${HEALTH_TIMEOUT_MS} ms` }),
    );
  });
  return Promise.race([
    late,
    adapter.checkHealth(signal).catch((error: unknown) => ({ healthy: false, message: messageOf(error) })),
  ]);
}
