import type { Verification, VerifiedCommand } from '../../../contract/verification.ts';
import type { AgentAdapter, AgentRun, CheckEnd, CheckOrder } from '../../agents/agent-adapter.ts';
import type { Config } from '../../config/config.ts';
import { commandVariables } from '../../agents/command-variables.ts';
import type { Exit } from '../../processes/start-program.ts';
import type { Runtime } from '../../runtime.ts';
import { OutputTail } from './output-tail.ts';
import { shellCheck } from './shell-check.ts';

/** The time limit of one command; the limit of the run holds besides. */
const LIMIT_MS = 600_000;

export interface WorkVerifierDeps {
  /** The daemon's environment; only variables on an allow list are passed on. */
  env: Record<string, string | undefined>;
  /** Identifies this data directory in the marks of the processes. */
  installation: string;
  config: Pick<Config, 'opened'>;
  runtime: Pick<Runtime, 'monotonic'>;
  /** For tests. */
  limitMs?: number;
}

type VerifiedAdapter = Pick<AgentAdapter, 'check' | 'driver'>;

/** A check that is to run, and for which agent. */
interface Check {
  adapter: VerifiedAdapter;
  run: AgentRun;
  command: string;
  mark: string;
}

/** Runs the commands that verify the work of a run, one after the other. */
export class WorkVerifier {
  readonly #deps: WorkVerifierDeps;
  constructor(deps: WorkVerifierDeps) {
    this.#deps = deps;
  }

  /** Runs every command, so that all that is wrong is known at once; rejects when the run is stopped. */
  async verify(
    adapter: VerifiedAdapter,
    run: AgentRun,
    { commands, round }: { commands: readonly string[]; round: number },
  ): Promise<Verification> {
    run.emit({
      type: 'verification_started',
      message: `Verifying: ${commands.join('; ')}`,
      data: { round, commands: [...commands] },
    });
    const ended: VerifiedCommand[] = [];
    let environment: Verification['environment'] = 'no sandbox';
    for (const [index, command] of commands.entries()) {
      run.signal.throwIfAborted();
      const mark = `${this.#deps.installation}/${run.task.id}/${run.runKey}/verify/${round}/${index}`;
      const end = await this.#check({ adapter, run, command, mark });
      environment = end.environment;
      ended.push(
        (await this.#repeated(end.verified, { adapter, run, command, mark: `${mark}/again` })) ??
          end.verified,
      );
    }
    const failed = ended.filter(({ exitCode }) => exitCode !== 0);
    const verification: Verification = {
      status: failed.length === 0 ? 'passed' : 'failed',
      commands: ended,
      rounds: round,
      environment,
    };
    run.emit({
      type: 'verification_finished',
      message: describeVerification(verification),
      data: {
        round,
        status: verification.status,
        environment,
        commands: ended.map(({ command, exitCode, durationMs }) => ({ command, exitCode, durationMs })),
      },
    });
    return verification;
  }

  /** A command that fails and succeeds at once after, on the same files, says nothing about the work. */
  async #repeated({ exitCode }: VerifiedCommand, check: Check): Promise<VerifiedCommand | undefined> {
    if (exitCode === null || exitCode === 0 || check.adapter.driver === undefined) return undefined;
    const { verified } = await this.#check(check);
    return verified.exitCode === 0 ? { ...verified, flaky: true } : undefined;
  }

  async #check({ adapter, run, command, mark }: Check) {
    const { env, config, runtime, limitMs = LIMIT_MS } = this.#deps;
    const { umask } = run.task;
    const output = new OutputTail();
    const limit = AbortSignal.timeout(limitMs);
    const started = runtime.monotonic();
    const order: CheckOrder = {
      command,
      workspace: await run.workspace(),
      umask,
      mark,
      signal: AbortSignal.any([run.signal, limit]),
      onOutput: (chunk) => output.push(chunk),
    };
    const end: CheckEnd = adapter.check
      ? await adapter.check(run, order)
      : await shellCheck(
          commandVariables({ env, configured: () => config.opened('agents.command.env') }, run),
          order,
        );
    run.signal.throwIfAborted();
    const outcome = limit.aborted
      ? { exitCode: null, problem: `stopped after ${limitMs / 1000} s, its time limit` }
      : outcomeOf(end.exit);
    const durationMs = Math.round(runtime.monotonic() - started);
    const verified: VerifiedCommand = { command, ...outcome, durationMs, ...output.finish() };
    return { verified, environment: end.environment };
  }
}

function outcomeOf(exit: Exit): Pick<VerifiedCommand, 'exitCode' | 'problem'> {
  if ('error' in exit) return { exitCode: null, problem: `could not start: ${exit.error.message}` };
  const { code, signal } = exit;
  return signal ? { exitCode: null, problem: `terminated by ${signal}` } : { exitCode: code };
}

/** `Verification failed: npm test (exit code 1)`. */
export function describeVerification({ status, commands }: Verification): string {
  if (status === 'passed') return 'Verification passed';
  const failed = commands.filter(({ exitCode }) => exitCode !== 0);
  const ends = failed.map((one) => `${one.command} (${one.problem ?? `exit code ${one.exitCode}`})`);
  return `Verification failed: ${ends.join('; ')}`;
}
