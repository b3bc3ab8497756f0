import type { AgentDetail, AgentState } from '../../contract/agents.ts';
import {
  type AgentAdapter,
  AgentFailure,
  type AgentProblem,
  type AgentRun,
  type RepairOrder,
} from '../agents/agent-adapter.ts';
import { addedAgentsKey, type ConfiguredAgent, type FoundProgram } from './configured-agents.ts';
import type { ProgramProbe, VersionFound } from './program-probe.ts';
import { loginProblem, notFound } from './program-problem.ts';

/** How long a list of agents waits for a version. */
const VERSION_PATIENCE_MS = 1500;

const missing: Readonly<Partial<Record<AgentState, string>>> = {
  not_installed: 'its program',
  too_old: 'a newer version',
  needs_login: 'a login',
};

export type FoundBy = { taskId: string } | { userId: string };

export interface ProgramAdapterDeps {
  /** The agent with its settings now; undefined once it has been removed. */
  agent: () => ConfiguredAgent;
  probe: ProgramProbe;
  run: (program: FoundProgram, run: AgentRun, repair?: RepairOrder) => ReturnType<AgentAdapter['execute']>;
  check: NonNullable<AgentAdapter['check']>;
  /** Called when tasks that wait for the agent should be looked at again. */
  onChange: () => void;
  /** Called once when the agent begins to need a login, with the task that found it or the user in whose chat it was found. */
  onLoginNeeded: (foundBy: FoundBy, message: string) => void;
  now: () => number;
}

/** An agent that is a program of its own, which people install and log in to. */
export class ProgramAdapter implements AgentAdapter {
  readonly type: string;
  readonly needs = ['command'] as const;
  readonly isChosenByLabels = true;
  /** Its limits and outages are waited for, so that nothing is left for a circuit breaker. */
  readonly faults = [];
  readonly obeysLimits = true;
  readonly worksInWorktree = true;
  readonly #deps: ProgramAdapterDeps;
  #path: string | undefined;
  #version: VersionFound = {};
  #login: { isFound: boolean; fingerprint: string } = { isFound: false, fingerprint: '' };
  /** What the login looked like when the agent refused it. */
  #refusedLogin: string | undefined;
  /** What it looked like when the agent worked with it. */
  #provenLogin: string | undefined;
  #closedUntil = 0;
  /** How often each run has repaired what it did. */
  readonly #repairs = new WeakMap<AgentRun, Partial<Record<RepairOrder['kind'], number>>>();

  constructor(deps: ProgramAdapterDeps) {
    this.#deps = deps;
    this.type = deps.agent().type;
  }

  get name(): string {
    return this.#deps.agent().preset.title;
  }

  get description(): string {
    const { title, driver } = this.#deps.agent().preset;
    return `${title}, with the login that it has on this machine (${driver})`;
  }

  get capabilities(): string[] {
    return [...this.#deps.agent().preset.capabilities];
  }

  get driver(): string {
    return this.#deps.agent().preset.driver;
  }

  closedForMs(): number {
    return Math.max(0, this.#closedUntil - this.#deps.now());
  }

  missingConfig(): string | undefined {
    const problem = this.problem();
    return problem && missing[problem.state];
  }

  problem(): AgentProblem | undefined {
    const agent = this.#deps.agent();
    if (this.#path === undefined) return notFound(agent);
    if (this.#version.problem) return this.#version.problem;
    if (this.#refusedLogin !== undefined) return loginProblem(agent);
    return undefined;
  }

  async checkHealth(signal?: AbortSignal): Promise<{ healthy: boolean; message?: string }> {
    await this.look();
    const { probe } = this.#deps;
    const path = this.#path;
    const version = path === undefined ? Promise.resolve({}) : probe.version(this.#deps.agent(), path);
    // One that takes its time is known at the next check; until then the agent is taken as it was.
    this.#version = (await Promise.race([version, lateIn(VERSION_PATIENCE_MS, signal)])) ?? this.#version;
    const problem = this.problem();
    if (problem) return { healthy: false, message: problem.message };
    return { healthy: true, ...(this.#version.warning !== undefined && { message: this.#version.warning }) };
  }

  /** Looks for the program and its login again, in no more than milliseconds. */
  async look(): Promise<void> {
    const { probe, onChange } = this.#deps;
    const agent = this.#deps.agent();
    const before = this.missingConfig();
    this.#path = await probe.find(agent);
    if (this.#path === undefined) this.#version = {};
    this.#login = await probe.login(agent);
    if (this.#refusedLogin !== this.#login.fingerprint) this.#refusedLogin = undefined;
    if (before !== this.missingConfig()) onChange();
  }

  /** Takes the login for a good one, because the agent has just worked with it. */
  trustLogin(): void {
    this.#provenLogin = this.#login.fingerprint;
    if (this.#refusedLogin === undefined) return;
    this.#refusedLogin = undefined;
    this.#deps.onChange();
  }

  async reconsider(): Promise<void> {
    this.trustLogin();
    await this.look();
  }

  /** What people want to know of it besides its health. */
  describe() {
    const agent = this.#deps.agent();
    const { preset, programSetting } = agent;
    const { version } = this.#version;
    const { isFound, fingerprint } = this.#login;
    const isProven = this.#provenLogin === fingerprint;
    const isLoggedIn = this.#refusedLogin === undefined && (isFound || isProven);
    const hasLogin = preset.login.files.length > 0;
    const problem = this.problem() ?? (hasLogin && !isLoggedIn ? loginProblem(agent) : undefined);
    return {
      driver: preset.driver,
      ...(this.#path !== undefined && { program: this.#path }),
      ...(version !== undefined && { version }),
      ...(hasLogin && { login: isLoggedIn ? ('found' as const) : ('not_found' as const) }),
      ...(programSetting !== undefined && { programSetting }),
      ...(problem && { state: problem.state, hint: problem.next }),
    };
  }

  /** What there is to know about its settings; names of variables, never values. */
  detail(): Partial<AgentDetail> {
    const { preset, args, env, model, maxTokens, allowedVersion, isAdded } = this.#deps.agent();
    const { min, tested } = preset.versions;
    return {
      ...(preset.install !== '' && { install: preset.install }),
      ...(tested !== '' && {
        versions: { min, tested, ...(allowedVersion !== undefined && { allowed: allowedVersion }) },
      }),
      loginWith: preset.login.how,
      ...(model !== undefined && { model }),
      ...(maxTokens !== undefined && { maxTokens }),
      args: [...args],
      envNames: Object.keys(env),
      ...(isAdded && { settings: [addedAgentsKey] }),
    };
  }

  execute(run: AgentRun) {
    return this.#execute(run);
  }

  async repair(run: AgentRun, order: RepairOrder) {
    const repairs = { ...this.#repairs.get(run) };
    repairs[order.kind] = (repairs[order.kind] ?? 0) + 1;
    this.#repairs.set(run, repairs);
    return { ...(await this.#execute(run, order)), repairs };
  }

  readonly check: NonNullable<AgentAdapter['check']> = (...order) => this.#deps.check(...order);

  /** The program for a user who waits; a login that was refused is tried again, and what comes of it holds for tasks too. */
  async findFor(userId: string) {
    const program = await this.#find({ isForPerson: true });
    const login = this.#login.fingerprint;
    const onLogin = (isGood: boolean) => (isGood ? this.trustLogin() : this.#refuseLogin({ userId }, login));
    return { program, onLogin };
  }

  /** The program, once its version is known to be one that svc drives. */
  async #find({ isForPerson = false } = {}): Promise<FoundProgram> {
    await this.look();
    const agent = this.#deps.agent();
    const path = this.#path;
    if (path !== undefined) this.#version = await this.#deps.probe.version(agent, path);
    const problem = isForPerson && this.problem()?.state === 'needs_login' ? undefined : this.problem();
    if (path === undefined || problem)
      throw new AgentFailure('agent_crash', 'not_ready', (problem ?? notFound(agent)).message, {
        needsPerson: true,
      });
    return { agent, path, version: this.#version.version };
  }

  async #execute(run: AgentRun, repair?: RepairOrder) {
    const program = await this.#find();
    const login = this.#login.fingerprint;
    try {
      const answer = await this.#deps.run(program, run, repair);
      this.trustLogin();
      const repairs = this.#repairs.get(run);
      return { ...answer, ...(repairs && { repairs }) };
    } catch (error) {
      if (error instanceof AgentFailure) this.#learn(error, run.task.id, login);
      throw error;
    }
  }

  /** A used-up limit and a refused login hold for every task. */
  #learn({ failure, resetsAt }: AgentFailure, taskId: string, login: string): void {
    if (failure === 'quota' && resetsAt !== undefined) this.#closedUntil = resetsAt;
    if (failure === 'auth') this.#refuseLogin({ taskId }, login);
  }

  #refuseLogin(foundBy: FoundBy, login: string): void {
    // Meanwhile a person may have logged in.
    if (login !== this.#login.fingerprint) return;
    const isNew = this.#refusedLogin === undefined;
    this.#refusedLogin = login;
    if (isNew) this.#deps.onLoginNeeded(foundBy, loginProblem(this.#deps.agent()).message);
  }
}

/** Resolves with nothing after this time, or once the signal aborts. */
const lateIn = (ms: number, signal?: AbortSignal) =>
  new Promise<undefined>((resolve) => {
    const timer = setTimeout(resolve, ms, undefined).unref();
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
