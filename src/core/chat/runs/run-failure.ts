import type { RunEventInput } from '../../../contract/run-events.ts';
import type { FailureClass } from '../../../contract/task.ts';
import { AgentFailure } from '../../agents/agent-adapter.ts';
import { AppError, type ErrorCode, messageOf } from '../../errors.ts';
import { PathError } from '../../paths/path-error.ts';
import { modelError } from '../../providers/model-error.ts';
import { RunStopped, type StopReason } from '../../tasks/active-runs.ts';

/** A run that failed, in words for people. */
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

export const cancelled = (): RunFailure => new RunFailure('cancelled', 'CANCELLED', 'The run was cancelled');

const stops: Record<StopReason, (attemptMs: number) => RunFailure> = {
  timeout: timedOut,
  shutdown: () =>
    new RunFailure('cancelled', 'STOPPED', 'The daemon stops; the run goes on with its next start'),
  cancelled,
  lost: cancelled,
};

/** What an `AppError` means for a run where that is not a failure of the network. */
const appErrors: Partial<Record<ErrorCode, [failure: FailureClass, code?: string]>> = {
  validation: ['invalid_input'],
  storage_full: ['unknown', 'TOOL_ERROR'],
};

/** Whatever a run ended with, as a failure; `describeBug` words what nobody expected. */
export function toRunFailure(
  error: unknown,
  describeBug: (error: unknown) => string = (bug) => `The run failed unexpectedly: ${messageOf(bug)}`,
): RunFailure {
  if (error instanceof RunFailure) return error;
  if (error instanceof PathError) return new RunFailure('invalid_input', 'no_folder', error.message);
  if (error instanceof AppError) {
    const [failure, code = error.code.toUpperCase()] = appErrors[error.code] ?? ['network'];
    return new RunFailure(failure, code, error.message, error.retryAfterMs);
  }
  return new RunFailure('unknown', 'INTERNAL', describeBug(error));
}

/** What stopped a run from outside, as a failure: its task's stop, or the timer of the run. */
export function toStopFailure(reason: unknown, attemptMs: number): RunFailure {
  if (reason instanceof RunFailure) return reason;
  return reason instanceof RunStopped ? stops[reason.reason](attemptMs) : cancelled();
}

/** Whether the run ended because the daemon stops: then its next start resumes it. */
export const isShutdown = ({ reason }: AbortSignal): boolean =>
  reason instanceof RunStopped && reason.reason === 'shutdown';

/** A failure as the last event of its run. */
export const toErrorEvent = ({ message, code }: Pick<RunFailure, 'message' | 'code'>): RunEventInput => ({
  type: 'error',
  data: { message, code },
});

/** A failure as the outcome of an attempt at a task; a final one is not tried again, whatever its class. */
export const toAgentFailure = (
  { failure, code, message, retryAfterMs }: RunFailure,
  { isFinal }: { isFinal: boolean },
): AgentFailure => new AgentFailure(failure, code.toLowerCase(), message, { retryAfterMs, isFinal });

/** What the edge answers for a failure; anything else that was thrown stays what it is. */
export function toEdgeError(error: unknown): unknown {
  if (!(error instanceof RunFailure)) return error;
  const { failure, code, message, retryAfterMs } = error;
  return modelError({ class: failure, code, message, retryAfterMs });
}
