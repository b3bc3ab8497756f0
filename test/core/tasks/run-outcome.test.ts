import { expect, it } from 'vitest';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import { RunStopped, type StopReason } from '../../../src/core/tasks/active-runs.ts';
import { stoppedOutcome } from '../../../src/core/tasks/run-outcome.ts';

const usage = { inputTokens: 12, outputTokens: 6, totalTokens: 18 };
const stop = (reason: StopReason, error: unknown = new Error('aborted')) =>
  stoppedOutcome(new RunStopped(reason), {
    duration: 600_017,
    limit: { ms: 600_000, reason: 'max_time' },
    error,
  });

it('a run that reached the time of its task is final, and keeps what its agent reported', () => {
  const error = new AgentFailure('timeout', 'timeout', 'Stopped', { result: { output: '', usage } });
  expect(stop('max_time', error)).toEqual({
    kind: 'failed',
    error: {
      class: 'timeout',
      code: 'max_time',
      message: 'The run reached the time limit of its task, 10 min',
    },
    result: { success: false, output: '', artifacts: [], usage, duration: 600_017 },
    retryAfterMs: 0,
    isFinal: true,
  });
});

it('a run that reached the time of all runs may be repeated', () => {
  expect(stop('timeout')).toMatchObject({ kind: 'failed', error: { code: 'timeout' }, isFinal: false });
});

it('a run that was stopped for another reason has no outcome of its own', () => {
  expect(stop('shutdown')).toMatchObject({ kind: 'parked' });
  expect(stop('cancelled')).toEqual({ kind: 'gone' });
  expect(stop('lost')).toEqual({ kind: 'gone' });
});
