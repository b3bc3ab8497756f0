import type { MessageError, MessageStatus } from '../../../contract/conversations.ts';
import { RunFailure, toRunFailure, toStopFailure } from './run-failure.ts';
import type { RunOutcome } from './run-policy.ts';
import type { RunState } from './run-state.ts';

/** How a turn ended, as its answer stores it. */
export interface TurnEnd {
  status: MessageStatus;
  error?: MessageError;
}

/** What ended turns from outside: their clients, a limit, or the daemon. */
const outside = new Set<RunFailure['failure']>(['cancelled', 'budget']);

const stopped: MessageError = {
  code: 'STOPPED',
  message: 'The daemon stopped before the answer was complete',
};
const disconnected: MessageError = {
  code: 'CANCELLED',
  message: 'The turn was stopped before the answer was complete',
};
/** The end of a turn that was under way when the daemon died. */
export const crashed = { status: 'interrupted', error: stopped } as const satisfies TurnEnd;

/** How a turn ended whose signal aborts with its client; `stopping` aborts with the daemon. */
export function endOfTurn(
  outcome: RunOutcome,
  { stopping, signal }: { stopping?: AbortSignal; signal?: AbortSignal },
): TurnEnd {
  if (outcome.kind !== 'failed') return { status: outcome.kind === 'done' ? 'completed' : 'waiting' };
  if (outcome.error instanceof RunFailure) return failedEnd(outcome.error);
  if (stopping?.aborted) return crashed;
  if (signal?.aborted) return { status: 'interrupted', error: disconnected };
  return failedEnd(toRunFailure(outcome.error, () => 'Internal error'));
}

/** The error of a turn for its clients: of one that was ended from outside, what ended it. */
export function errorOfTurn(error: unknown, ends: { stopping: AbortSignal; signal: AbortSignal }): unknown {
  if (!ends.signal.aborted || error instanceof RunFailure) return error;
  const { error: reason = disconnected } = endOfTurn({ kind: 'failed', error }, ends);
  return new RunFailure('cancelled', reason.code, reason.message);
}

/** The end of an agentic turn that did not complete: `signal` is that of its task and its timer. */
export const endOfAttempt = (error: unknown, signal: AbortSignal, attemptMs: number): TurnEnd =>
  signal.aborted
    ? { ...failedEnd(toStopFailure(signal.reason, attemptMs)), status: 'interrupted' }
    : failedEnd(toRunFailure(error, () => 'Internal error'));

/** The end of a turn with a failure. */
export const failedEnd = ({ failure, code, message }: RunFailure): TurnEnd => ({
  status: outside.has(failure) ? 'interrupted' : 'failed',
  error: { code, message },
});

/** Gives the calls without a result one, because a turn that is over never has one for them. */
export function closeOpenCalls(state: RunState): void {
  for (const call of state.open) {
    state.calls.push({
      name: call.name,
      arguments: (call.args ?? null) as RunState['calls'][number]['arguments'],
      result: call.isBegun ? unknownOutcome : notRun,
      status: 'error',
    });
    const step = state.steps?.at(-1);
    if (step) step.calls++;
  }
  state.open = [];
  if (state.partial?.trim()) state.steps?.push({ text: state.partial, calls: 0 });
}

const unknownOutcome =
  'The turn ended while this call ran. Whether it took effect is not known: check before you repeat it.';
const notRun = 'The turn ended before this call ran.';
