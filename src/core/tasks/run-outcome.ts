import type { TaskError, TaskResult } from '../../contract/task.ts';
import { isBrokenCircuitError } from '../limits/circuit-breaker.ts';
import { AgentFailure, type AgentResult } from '../agents/agent-adapter.ts';
import { messageOf } from '../errors.ts';
import { PathError } from '../paths/path-error.ts';
import { RunStopped } from './active-runs.ts';
import { formatLimit } from '../text/format-limit.ts';
import type { TimeLimit } from './time-limit.ts';

/** A run that failed. */
export interface FailedOutcome {
  kind: 'failed';
  error: TaskError;
  result: TaskResult;
  retryAfterMs: number;
  isFinal?: boolean;
  /** Whether it failed because a service is away or overloaded. */
  isOutage?: boolean;
  /** When the usage limit that it met is reset, in epoch milliseconds. */
  resetsAt?: number | undefined;
}

/** The outcome of a run for its task. */
export type RunOutcome =
  | { kind: 'completed'; result: TaskResult }
  | FailedOutcome
  /** It did not really run: the attempt does not count. */
  | { kind: 'parked'; message: string; delayMs: number }
  /** Its agent needs a person first: the attempt does not count. */
  | { kind: 'unready'; message: string }
  /** Not decided by this run: the task was cancelled, or another worker has it. */
  | { kind: 'gone' };

const BROKEN_CIRCUIT_DELAY_MS = 1000;

export function completedOutcome(result: AgentResult, duration: number): RunOutcome {
  return { kind: 'completed', result: { success: true, artifacts: [], duration, ...judged(result) } };
}

/** Classifies what a run threw. */
export function thrownOutcome(error: unknown, duration: number): RunOutcome {
  if (isBrokenCircuitError(error))
    return {
      kind: 'parked',
      message: 'The agent is not well; trying again',
      delayMs: BROKEN_CIRCUIT_DELAY_MS,
    };
  if (error instanceof AgentFailure && error.needsPerson) return { kind: 'unready', message: error.message };
  if (error instanceof AgentFailure)
    return {
      ...failedOutcome(
        { class: error.failure, code: error.code, message: error.message },
        error.result,
        duration,
        error.retryAfterMs,
      ),
      isFinal: error.isFinal,
      isOutage: error.isOutage,
      resetsAt: error.resetsAt,
    };
  if (error instanceof PathError)
    return failedOutcome(
      { class: 'invalid_input', code: 'no_folder', message: error.message },
      silent,
      duration,
    );
  return failedOutcome({ class: 'unknown', code: 'unexpected', message: messageOf(error) }, silent, duration);
}

/** Classifies the end of a run whose signal was aborted; what the agent reported until then is kept. */
export function stoppedOutcome(
  reason: unknown,
  { duration, limit, error }: { duration: number; limit: TimeLimit; error: unknown },
): RunOutcome {
  if (!(reason instanceof RunStopped)) return thrownOutcome(reason, duration);
  if (reason.reason === 'shutdown')
    return { kind: 'parked', message: 'The daemon stopped; the task runs again', delayMs: 0 };
  if (reason.reason === 'budget')
    return { kind: 'parked', message: 'A budget is used up; a person decides on more', delayMs: 0 };
  if (reason.reason !== 'timeout' && reason.reason !== 'max_time') return { kind: 'gone' };
  const isOwn = reason.reason === 'max_time';
  const message = isOwn
    ? `The run reached the time limit of its task, ${formatLimit(limit.ms)}`
    : `The run was stopped after ${duration} ms`;
  const result = error instanceof AgentFailure ? error.result : silent;
  return {
    ...failedOutcome({ class: 'timeout', code: reason.reason, message }, result, duration),
    // A budget is for the work of the task, not for each attempt at it.
    isFinal: isOwn,
  };
}

const silent: AgentResult = { output: '' };

const failedOutcome = (error: TaskError, result: AgentResult, duration: number, retryAfterMs = 0) => ({
  kind: 'failed' as const,
  error,
  result: { artifacts: [], duration, ...judged(result), success: false },
  retryAfterMs,
});

/** What the agent claims, and whether it was verified. */
const judged = (result: AgentResult) => ({
  ...result,
  ...(result.verification && { verified: result.verification.status === 'passed' }),
});
