import { expect, it } from 'vitest';
import { AppError } from '../../../../src/core/errors.ts';
import {
  RunFailure,
  timedOut,
  toAgentFailure,
  toEdgeError,
  toErrorEvent,
  toRunFailure,
  toStopFailure,
} from '../../../../src/core/chat/runs/run-failure.ts';
import { ModelRequestFailed } from '../../../../src/core/providers/model-error.ts';
import { PathError } from '../../../../src/core/paths/path-error.ts';
import { RunStopped } from '../../../../src/core/tasks/active-runs.ts';

it.each([
  [new RunFailure('budget', 'MAX_STEPS', 'Too long'), 'budget', 'MAX_STEPS', 'Too long'],
  [new PathError('There is no such directory'), 'invalid_input', 'no_folder', 'There is no such directory'],
  [new AppError('validation', 'Not so'), 'invalid_input', 'VALIDATION', 'Not so'],
  [new AppError('storage_full', 'The disk is full'), 'unknown', 'TOOL_ERROR', 'The disk is full'],
  [new AppError('unavailable', 'Not now'), 'network', 'UNAVAILABLE', 'Not now'],
  [
    new TypeError('x is not a function'),
    'unknown',
    'INTERNAL',
    'The run failed unexpectedly: x is not a function',
  ],
])('converts %s to a failure with a class, a code and a message', (error, failure, code, message) => {
  expect(toRunFailure(error)).toMatchObject({ failure, code, message });
});

it('describes an unexpected error with the function of the caller', () => {
  expect(toRunFailure(new Error('secret'), () => 'Internal error').message).toBe('Internal error');
});

it.each([
  [new RunStopped('timeout'), 'timeout', 'TIMEOUT', 'The run was stopped after 5 s'],
  [
    new RunStopped('shutdown'),
    'cancelled',
    'STOPPED',
    'The daemon is stopping; the run resumes when it starts again',
  ],
  [new RunStopped('cancelled'), 'cancelled', 'CANCELLED', 'The run was cancelled'],
  [new RunStopped('lost'), 'cancelled', 'CANCELLED', 'The run was cancelled'],
  [timedOut(180_000), 'timeout', 'TIMEOUT', 'The run was stopped after 180 s'],
])('converts the stop reason %s to a failure', (reason, failure, code, message) => {
  expect(toStopFailure(reason, 5000)).toMatchObject({ failure, code, message });
});

it('a provider that is away before its model is known is waited for', () => {
  const failure = { class: 'network', code: 'network', message: 'Away', retryAfterMs: undefined } as const;
  const run = toRunFailure(new ModelRequestFailed(failure));
  expect(run).toMatchObject({ failure: 'network', code: 'NETWORK', message: 'Away' });
  expect(toAgentFailure(run, { isFinal: false }).isOutage).toBe(true);
});

it('converts a failure to an event, to the failure of an attempt and to an API error', () => {
  const failure = new RunFailure('rate_limited', 'RATE_LIMITED', 'Too many requests', 2000);
  expect(toErrorEvent(failure)).toEqual({
    type: 'error',
    data: { message: 'Too many requests', code: 'RATE_LIMITED' },
  });
  expect(toAgentFailure(failure, { isFinal: true })).toMatchObject({
    failure: 'rate_limited',
    code: 'rate_limited',
    message: 'Too many requests',
    retryAfterMs: 2000,
    isFinal: true,
  });
  expect(toEdgeError(failure)).toMatchObject({ code: 'rate_limited', retryAfterMs: 2000 });
});

it.each([
  ['auth', 'unavailable'],
  ['network', 'unavailable'],
  ['invalid_input', 'validation'],
  ['cancelled', 'wrong_state'],
] as const)('converts a failure of class %s to the API error %s', (failure, code) => {
  expect(toEdgeError(new RunFailure(failure, 'X', 'x'))).toMatchObject({ code });
});

it('returns other errors unchanged', () => {
  const error = new AppError('not_found', 'Conversation not found');
  expect(toEdgeError(error)).toBe(error);
});
