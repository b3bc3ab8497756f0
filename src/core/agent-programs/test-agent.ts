import { lstat, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentTestStep } from '../../contract/agents.ts';
import type { DriverFailure, DriverListener, SessionOrder, TurnEnd } from '../agents/drivers/driver.ts';
import { drivers } from '../agents/presets.ts';
import { messageOf } from '../errors.ts';
import { countMarked } from '../processes/marked-processes.ts';
import type { Runtime } from '../runtime.ts';
import { AgentSession } from './agent-session.ts';
import type { ConfiguredAgent } from './configured-agents.ts';
import { programEnvironment } from './program-environment.ts';
import { loginProblem, notFound } from './program-problem.ts';
import type { ProgramProbe } from './program-probe.ts';
import { writeStartFiles } from './start-files.ts';

/** The most that a step may take; a model may think for a while. */
const STEP_MS = 120_000;
/** How long a turn may stay silent before it is cancelled all the same. */
const SIGN_MS = 10_000;
/** Longer answers of the agent are cut. */
const SHOWN = 60;

const trace = 'svc-was-here';
const prompts = {
  turn: 'Reply with the word ready. Do nothing else.',
  deniedCall: `Run this command with your shell tool: touch ${trace}. If you may not run it, do not try again and reply with the word denied.`,
  cancel: 'Count from 1 to 2000, one number per line. Do not use tools.',
};

export interface AgentTestOrder {
  agent: ConfiguredAgent;
  /** In place of the one of the settings. */
  model?: string | undefined;
  probe: ProgramProbe;
  /** The daemon's environment; only variables on allow lists are passed on. */
  env: Record<string, string | undefined>;
  installation: string;
  runtime: Pick<Runtime, 'monotonic' | 'newId'>;
  signal: AbortSignal;
}

type Outcome = Pick<AgentTestStep, 'status' | 'message'>;

/**
 * Tries an agent in a session of its own, in a temporary folder that is removed. Nothing that it asks for is allowed. The
 * steps after one that failed are skipped, except that its processes are ended.
 */
export async function* testAgent(order: AgentTestOrder): AsyncGenerator<AgentTestStep> {
  const { monotonic } = order.runtime;
  const trial = new Trial(order, await realpath(await mkdtemp(join(tmpdir(), 'svc-agent-test-'))));
  const steps: [AgentTestStep['name'], () => Promise<Outcome>][] = [
    ['version', () => trial.version()],
    ['start', () => trial.start()],
    ['turn', () => trial.turn()],
    ['denied_call', () => trial.deniedCall()],
    ['cancel', () => trial.cancel()],
    ['stop', () => trial.stop()],
  ];
  let hasFailed = false;
  try {
    for (const [name, run] of steps) {
      const isNeeded = !hasFailed || (name === 'stop' && trial.hasStarted);
      if (!isNeeded) {
        yield { name, status: 'skipped', durationMs: 0 };
        continue;
      }
      const startedAt = monotonic();
      const outcome = await run().catch((error: unknown): Outcome => failed(messageOf(error)));
      if (outcome.status === 'failed') hasFailed = true;
      yield { name, ...outcome, durationMs: Math.round(monotonic() - startedAt) };
    }
  } finally {
    await trial.end();
  }
}

class Trial {
  readonly #order: AgentTestOrder;
  readonly #folder: string;
  readonly #mark: string;
  #path = '';
  #files: AsyncDisposable | undefined;
  #session: AgentSession | undefined;
  #asked = 0;
  #ended: Promise<void> | undefined;
  /** Resolves what waits for a sign of life of the agent. */
  #onSign: () => void = () => undefined;

  constructor(order: AgentTestOrder, folder: string) {
    this.#order = order;
    this.#folder = folder;
    this.#mark = `${order.installation}/agent-test/${order.runtime.newId('test')}`;
  }

  get hasStarted(): boolean {
    return this.#session !== undefined;
  }

  async version(): Promise<Outcome> {
    const { agent, probe } = this.#order;
    const path = await probe.find(agent);
    if (path === undefined) return failed(notFound(agent).message);
    this.#path = path;
    const { version, problem, warning } = await probe.version(agent, path);
    if (problem) return failed(problem.message);
    return ok(warning ?? version ?? 'it does not say its version');
  }

  async start(): Promise<Outcome> {
    const { agent, env, model = agent.model } = this.#order;
    const { preset } = agent;
    const files = preset.files && (await writeStartFiles(preset.files));
    this.#files = files;
    const order: SessionOrder = {
      cwd: this.#folder,
      files: files?.folder,
      model,
      mode: preset.mode,
      mcpServers: [],
      isSandboxed: false,
    };
    const { argv, env: own } = preset.start(order);
    this.#session = new AgentSession(
      {
        argv: [this.#path, ...agent.args, ...argv],
        cwd: this.#folder,
        env: { ...programEnvironment(agent, { env }), ...own },
        mark: this.#mark,
      },
      { create: await drivers[preset.driver](), listener: this.#listener(), onLine: () => undefined },
    );
    const opened = await this.#within(this.#session.driver.open(order));
    if (opened === undefined) return tooSlow;
    return 'failure' in opened ? this.#failure(opened.failure) : ok();
  }

  async turn(): Promise<Outcome> {
    const end = await this.#prompt(prompts.turn);
    if (end === undefined) return tooSlow;
    if (end.outcome === 'failed') return this.#failure(end.failure);
    if (end.outcome === 'cancelled') return failed('The agent stopped before it had answered');
    const text = end.text.trim().replaceAll(/\s+/g, ' ');
    return ok(`answered: ${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}`);
  }

  async deniedCall(): Promise<Outcome> {
    const before = this.#asked;
    const end = await this.#prompt(prompts.deniedCall);
    const hasAsked = this.#asked > before;
    if (await exists(join(this.#folder, trace)))
      return failed(
        hasAsked ? 'The command ran although it was denied' : 'The agent ran the command without asking',
      );
    if (end === undefined) return tooSlow;
    if (hasAsked) return ok('asked, was denied, and ran nothing');
    return end.outcome === 'failed'
      ? this.#failure(end.failure)
      : { status: 'not_asked', message: 'it answered without asking for the command, and ran nothing' };
  }

  async cancel(): Promise<Outcome> {
    const sign = new Promise<void>((resolve) => (this.#onSign = resolve));
    const turn = this.#prompt(prompts.cancel);
    let isOver = false;
    await settledWithin(SIGN_MS, Promise.race([sign, turn.then(() => (isOver = true))]));
    this.#session?.cancel();
    const end = await turn;
    if (end === undefined) return tooSlow;
    if (end.outcome === 'completed') return ok('it had answered already');
    // A program that does not stop by its protocol is killed, and its turn fails with it.
    return end.outcome === 'failed' && isOver ? this.#failure(end.failure) : ok('stopped');
  }

  async stop(): Promise<Outcome> {
    await this.#endSession();
    const left = await countMarked((mark) => mark === this.#mark);
    return left === 0 ? ok('no process is left') : failed(`${left} processes are left`);
  }

  /** Ends what is open and removes the folders. */
  async end(): Promise<void> {
    await this.#endSession();
    await this.#files?.[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #endSession(): Promise<void> {
    this.#ended ??= this.#session?.end() ?? Promise.resolve();
    return this.#ended;
  }

  #prompt(text: string): Promise<TurnEnd | undefined> {
    const { driver } = this.#session ?? {};
    if (!driver) throw new Error('the session has not started');
    return this.#within(driver.prompt(text));
  }

  /** The result, or nothing where it took too long or the test was aborted: then the session is cancelled. */
  async #within<T>(result: Promise<T>): Promise<T | undefined> {
    const { signal } = this.#order;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)]);
    const session = this.#session;
    const stop = () => {
      session?.cancel();
      // One that does not take part in its own end is killed.
      void session?.end();
    };
    limit.addEventListener('abort', stop, { once: true });
    if (limit.aborted) stop();
    const settled = await result;
    limit.removeEventListener('abort', stop);
    return limit.aborted ? undefined : settled;
  }

  #failure({ class: kind, message }: DriverFailure): Outcome {
    return failed(kind === 'auth' ? loginProblem(this.#order.agent).message : message);
  }

  #listener(): DriverListener {
    const sign = () => this.#onSign();
    return {
      onSession: () => undefined,
      onText: sign,
      onThinking: sign,
      onCall: sign,
      onPlan: sign,
      onUsage: () => undefined,
      onStep: () => undefined,
      onNote: () => undefined,
      ask: async () => {
        this.#asked++;
        sign();
        return { decision: 'deny', reason: 'This is a test of svc: nothing is allowed to run.' };
      },
    };
  }
}

const ok = (message?: string): Outcome => ({ status: 'ok', ...(message !== undefined && { message }) });
const failed = (message: string): Outcome => ({ status: 'failed', message });
const tooSlow = failed(`No answer within ${STEP_MS / 1000} s`);

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Resolves once the promise settles, or after this time. */
async function settledWithin(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
