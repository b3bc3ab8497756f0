import type { RunEventInput } from '../../../contract/run-events.ts';
import type { FailureClass } from '../../../contract/task.ts';
import { AgentFailure, type AgentResult } from '../../agents/agent-adapter.ts';
import { AppError, type ErrorCode, messageOf } from '../../errors.ts';
import { PathError } from '../../paths/path-error.ts';
import { modelError, ModelRequestFailed, NOT_CONFIGURED } from '../../providers/model-error.ts';
import { formatLimit } from '../../text/format-limit.ts';
import { RunStopped, type StopReason } from '../../tasks/active-runs.ts';

/** A failed run, with a message for people. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly failure: FailureClass;
  /** Upper case, such as `TIMEOUT`. */
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  constructor(failure: FailureClass, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.failure = failure;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export const timedOut = (ms: number): RunFailure =>
  new RunFailure('timeout', 'TIMEOUT', `The run was stopped after ${ms / 1000} s`);

/** The end of an agentic turn by its own time limit. */
export const sessionOver = (ms: number): RunFailure =>
  new RunFailure(
    'timeout',
    'TIMEOUT',
    `Agentic mode reached its time limit of ${formatLimit(ms)}; a task has no such limit`,
  );

export const cancelled = (): RunFailure => new RunFailure('cancelled', 'CANCELLED', 'The run was cancelled');

const stops: Record<StopReason, (attemptMs: number) => RunFailure> = {
  timeout: timedOut,
  max_time: timedOut,
  shutdown: () =>
    new RunFailure('cancelled', 'STOPPED', 'The daemon is stopping; the run resumes when it starts again'),
  budget: () =>
    new RunFailure(
      'budget',
      'BUDGET_ASK',
      'A budget is used up; a person decides whether the task continues',
    ),
  cancelled,
  lost: cancelled,
};

/** The failure class of an `AppError` in a run; any other code counts as a network failure. */
const appErrors: Partial<Record<ErrorCode, [failure: FailureClass, code?: string]>> = {
  validation: ['invalid_input'],
  storage_full: ['unknown', 'TOOL_ERROR'],
};

/** Converts an error of a run to a failure; `describeBug` gives the message of an unexpected one. */
export function toRunFailure(
  error: unknown,
  describeBug: (error: unknown) => string = (bug) => `The run failed unexpectedly: ${messageOf(bug)}`,
): RunFailure {
  if (error instanceof RunFailure) return error;
  if (error instanceof ModelRequestFailed) {
    const { class: kind, code, message, retryAfterMs } = error.failure;
    return new RunFailure(kind, code.toUpperCase(), message, retryAfterMs);
  }
  if (error instanceof PathError) return new RunFailure('invalid_input', 'no_folder', error.message);
  if (error instanceof AppError) {
    const [failure, known = error.code.toUpperCase()] = appErrors[error.code] ?? ['network'];
    const code = error.code === 'unavailable' && error.isLasting ? NOT_CONFIGURED : known;
    return new RunFailure(failure, code, error.message, error.retryAfterMs);
  }
  return new RunFailure('unknown', 'INTERNAL', describeBug(error));
}

/** Throws the failure of an agent or of a budget as that of a run, and anything else as it is. */
export function throwAsRunFailure(error: unknown): never {
  if (!(error instanceof AgentFailure)) throw error;
  throw new RunFailure(error.failure, error.code.toUpperCase(), error.message);
}

/** Converts the abort reason of a run, from its task or its timer, to a failure. */
export function toStopFailure(reason: unknown, attemptMs: number): RunFailure {
  if (reason instanceof RunFailure) return reason;
  return reason instanceof RunStopped ? stops[reason.reason](attemptMs) : cancelled();
}

/** Whether the run stopped because the daemon shuts down; the next start resumes it. */
export const isShutdown = ({ reason }: AbortSignal): boolean =>
  reason instanceof RunStopped && reason.reason === 'shutdown';

/** The error event that closes the stream of a run. */
export const toErrorEvent = ({ message, code }: Pick<RunFailure, 'message' | 'code'>): RunEventInput => ({
  type: 'error',
  data: { message, code },
});

/** Converts a failure to the outcome of an attempt; a final one is never retried. */
export const toAgentFailure = (
  failure: RunFailure,
  options: { isFinal: boolean; result?: AgentResult | undefined },
): AgentFailure =>
  new AgentFailure(failure.failure, failure.code.toLowerCase(), failure.message, {
    retryAfterMs: failure.retryAfterMs,
    ...options,
    isOutage: isOutage(failure),
  });

/** Whether the model provider is away or overloaded; one that is not set up needs a person instead of time. */
const isOutage = ({ failure, code, retryAfterMs }: RunFailure): boolean =>
  failure === 'rate_limited' ||
  (failure === 'network' && (!['UNAVAILABLE', NOT_CONFIGURED].includes(code) || retryAfterMs !== undefined));

/** Converts a failure to an `AppError` for the API; other errors are returned unchanged. */
export function toEdgeError(error: unknown): unknown {
  if (!(error instanceof RunFailure)) return error;
  const { failure, code, message, retryAfterMs } = error;
  return modelError({ class: failure, code, message, retryAfterMs });
}
