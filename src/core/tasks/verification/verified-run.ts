import { DEFAULT_REPAIR, type Verification } from '../../../contract/verification.ts';
import {
  type AgentAdapter,
  type AgentAnswer,
  AgentFailure,
  type AgentResult,
  type AgentRun,
  type RepairOrder,
} from '../../agents/agent-adapter.ts';
import { limitProblem } from '../../agents/limit-fields.ts';
import type { Runtime } from '../../runtime.ts';
import { outputRepair } from '../output/output-repair.ts';
import { readOutput } from '../output/output-schema.ts';
import { changedFiles, hashNamedFiles } from './named-files.ts';
import { repairMessage } from './repair-message.ts';
import { VERIFY_FILE } from './verify-file.ts';
import { describeVerification, type WorkVerifier } from './work-verifier.ts';

/** An answer that does not fit its schema is asked for once more. */
const OUTPUT_REPAIRS = 1;

export interface VerifiedRunDeps {
  verifier: Pick<WorkVerifier, 'verify'>;
  /** The commands that the repository of the work names, for a task that names none. */
  verifyFile: () => Promise<string[] | undefined>;
  runtime: Runtime;
}

/** What a check of an answer came to: the result, or what to repair and the failure where nothing can. */
type Checked =
  | { result: AgentResult }
  | { order: RepairOrder; failure: AgentFailure; verification?: Verification };

/**
 * Lets the agent work until its answer fits the schema of the task and the commands of the task succeed, or its repairs
 * are used up: then it throws an `AgentFailure` of the class `invalid_output` or `verify_failed`, which is never retried.
 */
export async function executeVerified(
  deps: VerifiedRunDeps,
  adapter: Pick<
    AgentAdapter,
    'type' | 'driver' | 'execute' | 'repair' | 'check' | 'obeysLimits' | 'isCoordinator'
  >,
  run: AgentRun,
): Promise<AgentResult> {
  const { repair = DEFAULT_REPAIR } = run.task;
  const problem = limitProblem(adapter, run.task);
  if (problem !== undefined)
    throw new AgentFailure('invalid_input', 'unsupported_fields', problem, { isFinal: true });
  if (adapter.isCoordinator) return adapter.execute(run);
  // Agents with a driver are programs of their own; the others do not verify what nobody asked for.
  const verify = run.task.verify ?? (adapter.driver === undefined ? undefined : await deps.verifyFile());
  const work = verify && {
    commands: verify,
    before: await hashNamedFiles(await run.workspace(), [...verify, VERIFY_FILE]),
  };
  const most = { output: OUTPUT_REPAIRS, work: repair };
  let answer = await adapter.execute(run);
  let verification: Verification | undefined;
  for (;;) {
    const checked = await check(deps, adapter, { run, answer, work });
    if ('result' in checked) return checked.result;
    const { order, failure } = checked;
    verification = checked.verification ?? verification;
    if (!adapter.repair || (answer.repairs?.[order.kind] ?? 0) >= most[order.kind])
      throw withVerification(failure, verification);
    try {
      answer = await adapter.repair(run, order);
    } catch (error) {
      // A run that failed while it repaired has not been verified either.
      throw withVerification(error, verification);
    }
  }
}

async function check(
  { verifier, runtime }: VerifiedRunDeps,
  adapter: Pick<AgentAdapter, 'check' | 'driver'>,
  {
    run,
    answer,
    work,
  }: {
    run: AgentRun;
    answer: AgentAnswer;
    work: { commands: string[]; before: ReadonlyMap<string, string> } | undefined;
  },
): Promise<Checked> {
  const { repairs = {}, ...result } = answer;
  const { outputSchema } = run.task;
  if (outputSchema) {
    const read = await readOutput(outputSchema, result.output);
    if ('problem' in read) {
      const message = `The answer does not fit the schema of the task: ${read.problem}`;
      const failure = new AgentFailure('invalid_output', 'invalid_output', message, {
        result,
        isFinal: true,
      });
      return { order: outputRepair(read.problem), failure };
    }
    result.output = read.json;
  }
  if (!work) return { result };
  const { commands, before } = work;
  const verified = await verifier.verify(adapter, run, { commands, round: (repairs.work ?? 0) + 1 });
  const changed = changedFiles(
    before,
    await hashNamedFiles(await run.workspace(), [...commands, VERIFY_FILE]),
  );
  const verification = { ...verified, ...(changed.length > 0 && { changedFiles: changed }) };
  if (verification.status === 'passed') return { result: { ...result, verification } };
  const message = describeVerification(verification);
  return {
    order: repairMessage(runtime, verification),
    failure: new AgentFailure('verify_failed', 'verify_failed', message, { result, isFinal: true }),
    verification,
  };
}

function withVerification(error: unknown, verification: Verification | undefined): unknown {
  if (!verification || !(error instanceof AgentFailure)) return error;
  const { failure, code, message, retryAfterMs, isFinal, isOutage, resetsAt, needsPerson, result, cause } =
    error;
  return new AgentFailure(failure, code, message, {
    retryAfterMs,
    isFinal,
    isOutage,
    resetsAt,
    needsPerson,
    cause,
    result: { ...result, verification },
  });
}
