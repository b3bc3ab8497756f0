import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { secretsIn } from '../agents/agent-secrets.ts';
import type { RunEventInput } from '../../contract/run-events.ts';
import { type AgentAnswer, AgentFailure, type AgentRun, type RepairOrder } from '../agents/agent-adapter.ts';
import type { DriverListener, SessionOrder, TurnEnd } from '../agents/drivers/driver.ts';
import { drivers } from '../agents/presets.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import { addRefusal, dropRefusal, refusedCallsOf } from '../chat/runs/refused-calls.ts';
import { isShutdown } from '../chat/runs/run-failure.ts';
import { ProjectInstructions } from '../chat/runs/project-instructions.ts';
import { RunEventRecord } from '../chat/runs/run-event-record.ts';
import type { Config } from '../config/config.ts';
import { projectRootOf } from '../paths/project-root.ts';
import type { Runtime } from '../runtime.ts';
import { formatUsd } from '../text/format-usd.ts';
import { traced } from '../telemetry/telemetry.ts';
import type { ToolGate } from '../tools/tool-gate.ts';
import type { AgentSandboxes, ProgramStart } from './agent-sandboxes.ts';
import { AgentSession } from './agent-session.ts';
import { AskedCalls } from './asked-calls.ts';
import { callName } from './asked-call.ts';
import type { FoundProgram } from './configured-agents.ts';
import { JointWait } from './joint-wait.ts';
import { MaskedEvents } from './masked-events.ts';
import { mcpServersFor } from './mcp-servers-for.ts';
import { programEnvironment } from './program-environment.ts';
import { toAgentFailure } from './program-failure.ts';
import { ProgramBudget } from './run-budget.ts';
import { type Beginning, runPrompt } from './run-prompt.ts';
import { RunReporter } from './run-reporter.ts';
import { toReported } from './to-reported.ts';
import { requireMode } from './require-mode.ts';
import type { RunRights, TaskRights } from './task-rights.ts';
import type { SessionStore } from './session-store.ts';
import { startProgram } from './program-start.ts';
import { SilenceTimer } from './silence-timer.ts';

export interface ProgramRunDeps {
  config: Config;
  gate: () => Promise<ToolGate>;
  approvals: ApprovalService;
  sessions: SessionStore;
  rights: TaskRights;
  sandboxes: Pick<AgentSandboxes, 'check' | 'run'>;
  env: Record<string, string | undefined>;
  installation: string;
  reportBug: (error: unknown) => void;
  runtime: Runtime;
}

/** One attempt at a task by an agent that is a program of its own. */
export class ProgramRun {
  readonly #deps: ProgramRunDeps;
  readonly #program: FoundProgram;
  readonly #run: AgentRun;
  readonly #reporter: RunReporter;
  readonly #record: RunEventRecord;
  readonly #masked: MaskedEvents;
  readonly #refused: Parameters<typeof refusedCallsOf>[0] = {};
  readonly #wait: JointWait;
  #cwd = '';
  #sessionId: string | undefined;
  #isSandboxed = false;
  /** Why svc ended the run itself. */
  #ended: AgentFailure | undefined;

  constructor(deps: ProgramRunDeps, program: FoundProgram, run: AgentRun) {
    this.#deps = deps;
    this.#program = program;
    this.#run = run;
    this.#record = new RunEventRecord((event) => run.emit(event));
    const servers = mcpServersFor(deps.config).map(({ env }) => env);
    const secrets = secretsIn(program.agent.env, run.environment(), ...servers);
    this.#masked = new MaskedEvents(secrets, (event) => this.#record.add(event));
    this.#reporter = new RunReporter(this.#sink, () => this.#cwd, program.agent.preset.asksFor);
    this.#wait = new JointWait(run.whileWaiting);
  }

  /** Resolves with the answer, or throws an `AgentFailure`; an aborted run rejects with its reason. */
  async execute(repair?: RepairOrder): Promise<AgentAnswer> {
    const { agent } = this.#program;
    const rights = await this.#deps.rights.of(this.#run.task);
    const sandbox = await this.#deps.sandboxes.check();
    requireMode(rights.mode, agent.type, sandbox);
    this.#isSandboxed = sandbox.isWorking;
    const cwd = await realpath(await this.#run.workspace());
    this.#cwd = cwd;
    const known = await this.#session();
    try {
      const turn = (session: typeof known) =>
        traced(
          this.#run.telemetry,
          `process ${agent.type}`,
          () => ({ attributes: { 'process.executable.name': basename(this.#program.path) } }),
          () => this.#turn(cwd, rights, session, repair),
        );
      const end = await turn(known);
      if (end !== 'lost') return this.#conclude(end);
      await this.#deps.sessions.remove(this.#run.task.id, agent.type);
      const again = await turn({ beginning: 'lost' });
      if (again === 'lost') throw new AgentFailure('agent_error', 'session_not_found', 'The session is lost');
      return this.#conclude(again);
    } finally {
      this.#reporter.finish();
      this.#masked.flush();
      this.#record.flush();
      // Its questions are void, unless the next start of the daemon continues the run.
      if (!isShutdown(this.#run.signal)) await this.#deps.approvals.expireForRun(this.#run.task.id);
    }
  }

  /** The session of an earlier attempt, or of the task that this one continues. */
  async #session(): Promise<{ beginning: Beginning; sessionId?: string }> {
    const { sessions } = this.#deps;
    const { task } = this.#run;
    const { type } = this.#program.agent;
    const own = await sessions.find(task.id, type);
    if (own) return { beginning: 'resumed', sessionId: own.session_id };
    const other = task.continues === undefined ? undefined : await sessions.inherited(task.continues, type);
    return other ? { beginning: 'continued', sessionId: other.session_id } : { beginning: 'new' };
  }

  /** One turn in a process of its own; `lost` where the session that it continues does not exist. */
  async #turn(
    cwd: string,
    rights: RunRights,
    { beginning, sessionId }: { beginning: Beginning; sessionId?: string },
    repair: RepairOrder | undefined,
  ): Promise<TurnEnd | 'lost'> {
    const { config, env, installation } = this.#deps;
    const { agent, version } = this.#program;
    const { task, signal, runKey } = this.#run;
    signal.throwIfAborted();
    const model = task.model ?? agent.model;
    this.#sink({
      type: 'agent:start',
      data: {
        agent: agent.type,
        ...(version !== undefined && { version }),
        ...(model !== undefined && { model }),
        cwd,
        ...(sessionId !== undefined && { sessionId }),
      },
    });
    const mark = `${installation}/${task.id}/${runKey}`;
    const prompt = runPrompt(task, beginning, {
      repair,
      instructions: await this.#instructions(cwd),
      ticket: rights.isTicket ? this.#deps.runtime : undefined,
    });
    return startProgram(
      this.#deps.sandboxes,
      {
        program: this.#program,
        session: {
          cwd,
          resume: sessionId,
          model,
          mode: agent.preset.mode,
          mcpServers: mcpServersFor(config),
          isSandboxed: this.#isSandboxed,
        },
        isReadOnly: rights.mode === 'sandbox',
        isRepositoryReadOnly: !rights.context.isTrusted,
        env: programEnvironment(agent, { env, run: this.#run }),
        variables: { ...agent.env, ...this.#run.environment() },
        mark,
        signal,
        onNote: this.#note,
      },
      (start, order) => this.#talk({ ...start, umask: task.umask, mark }, order, rights, prompt),
    );
  }

  /** Those of the project, for an agent that does not read them itself. */
  async #instructions(cwd: string): Promise<string | undefined> {
    if (this.#program.agent.preset.readsInstructions !== false) return undefined;
    return (await ProjectInstructions.read(cwd, await projectRootOf(cwd))).text;
  }

  /** Opens the session in the program and lets it answer the prompt. */
  async #talk(
    { sandbox, ...program }: ProgramStart & { umask: number | undefined; mark: string },
    order: SessionOrder,
    rights: RunRights,
    prompt: string,
  ): Promise<TurnEnd | 'lost'> {
    const { config, reportBug, approvals } = this.#deps;
    const { agent } = this.#program;
    const { task, signal } = this.#run;
    const { cwd } = order;
    // What is still open when the turn is over, because the agent exited or was stopped, has nobody to wait for it.
    const over = new AbortController();
    const context = { ...rights.context, workspace: cwd, signal: AbortSignal.any([signal, over.signal]) };
    const asked = new AskedCalls({
      gate: await this.#deps.gate(),
      approvals,
      agent: agent.type,
      session: () => this.#sessionId ?? order.resume ?? '',
      ...(sandbox && { sandbox }),
      run: { id: task.id, canAsk: true, context },
      reporter: this.#reporter,
      wait: this.#wait,
      sink: this.#sink,
      onRefused: ({ name, args }, reason) => addRefusal(this.#refused, { id: '', name, args }, reason),
      onAllowed: ({ name, args }) => dropRefusal(this.#refused, { id: '', name, args }),
      reportBug,
    });
    const silence = new SilenceTimer({
      limitMs: config.get('agents.silenceMs'),
      isExcused: () => this.#wait.isOpen || this.#reporter.isCalling,
      onSilence: () => this.#stop(silent(agent.type, config.get('agents.silenceMs')), session),
    });
    const budget = this.#budget();
    const session = new AgentSession(program, {
      create: await drivers[agent.preset.driver](),
      listener: this.#listener(asked, cwd, () => {
        const spent = budget.check(this.#reporter.usage, this.#reporter.steps);
        if (spent) this.#stop(spent, session);
      }),
      onLine: () => silence.touch(),
    });
    const cancel = () => session.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const opened = await session.driver.open(order);
      if ('failure' in opened)
        return opened.failure.code === 'session_not_found'
          ? 'lost'
          : { outcome: 'failed', text: '', failure: opened.failure };
      return await session.driver.prompt(prompt);
    } finally {
      silence.stop();
      signal.removeEventListener('abort', cancel);
      await session.end();
      over.abort();
      await asked.settled();
    }
  }

  #listener(asked: AskedCalls, cwd: string, checkBudget: () => void): DriverListener {
    const reporter = this.#reporter;
    const { sessions, runtime, reportBug } = this.#deps;
    const { agent, version } = this.#program;
    return {
      onSession: (id) => {
        this.#sessionId = id;
        const row = { task_id: this.#run.task.id, agent: agent.type, session_id: id, cwd };
        const updated_at = runtime.now().toISOString();
        sessions
          .save({ ...row, cli_version: version ?? null, host: sessions.host, updated_at })
          .catch(reportBug);
      },
      onText: (delta) => reporter.addText(delta),
      onThinking: (delta) => reporter.addThought(delta),
      onCall: (call) => reporter.addCall(call, callName(call, agent.type)),
      onPlan: (entries) => reporter.setPlan(entries),
      onUsage: (usage) => {
        reporter.setUsage(usage);
        this.#run.spend(toReported(reporter.usage, this.#run.task.model ?? agent.model));
        checkBudget();
      },
      onStep: () => {
        reporter.steps++;
        checkBudget();
      },
      onNote: this.#note,
      ask: (question) => asked.ask(question),
    };
  }

  #budget(): ProgramBudget {
    const { maxBudget, maxCostUsd, maxSteps } = this.#run.task;
    const { maxTokens } = this.#program.agent;
    const tokens = [maxBudget, maxTokens].filter((limit) => limit !== undefined);
    return new ProgramBudget(
      {
        tokens: tokens.length > 0 ? Math.min(...tokens) : undefined,
        costUsd: maxCostUsd === undefined ? undefined : Number(maxCostUsd),
        steps: maxSteps,
      },
      this.#note,
    );
  }

  #stop(reason: AgentFailure, session: AgentSession): void {
    this.#ended ??= reason;
    session.cancel();
  }

  #conclude(end: TurnEnd): AgentAnswer {
    const { signal, attempt } = this.#run;
    const { type, preset, model: configured } = this.#program.agent;
    signal.throwIfAborted();
    const { inputTokens, outputTokens, costUsd } = this.#reporter.usage;
    const model = this.#run.task.model ?? configured;
    const refusedCalls = refusedCallsOf(this.#refused);
    const result = {
      output: end.outcome === 'completed' ? this.#masked.text(end.text) : '',
      ...(model !== undefined && { model }),
      ...(refusedCalls && { refusedCalls }),
      ...(costUsd !== undefined && costUsd > 0 && { cost: formatUsd(costUsd) }),
      ...(inputTokens !== undefined &&
        outputTokens !== undefined && {
          usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
        }),
    };
    if (this.#ended) throw withResult(this.#ended, result);
    if (end.outcome === 'failed') {
      const failure = { ...end.failure, message: this.#masked.text(end.failure.message) };
      throw toAgentFailure(failure, { type, preset, attempt, result });
    }
    if (end.outcome === 'cancelled')
      throw new AgentFailure('policy_denied', 'stopped', `${type} stopped after a call was not allowed`, {
        result,
      });
    this.#sink({ type: 'summary', data: { summary: end.text, ...(refusedCalls && { refusedCalls }) } });
    return result;
  }

  readonly #sink = (event: RunEventInput): void => this.#masked.add(event);

  readonly #note = (message: string): void =>
    this.#run.emit({ type: 'progress', message: this.#masked.text(message) });
}

const silent = (type: string, ms: number) =>
  new AgentFailure('timeout', 'silent', `${type} gave no sign of life for ${Math.round(ms / 1000)} s`);

const withResult = ({ failure, code, message, isFinal }: AgentFailure, result: AgentAnswer) =>
  new AgentFailure(failure, code, message, { isFinal, result });
