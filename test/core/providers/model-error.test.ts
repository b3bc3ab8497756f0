import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/contract/task.ts';
import { modelError } from '../../../src/core/providers/model-error.ts';

describe('a failed call of a model', () => {
  it.each<[FailureClass, string]>([
    ['rate_limited', 'rate_limited'],
    ['auth', 'unavailable'],
    ['quota', 'unavailable'],
    ['network', 'unavailable'],
    ['timeout', 'unavailable'],
    ['agent_error', 'unavailable'],
    ['unknown', 'unavailable'],
    ['invalid_input', 'validation'],
    ['cancelled', 'wrong_state'],
  ])('a failure of class %s becomes the error %s', (kind, code) => {
    const error = modelError({ class: kind, code: 'x', message: 'It went wrong', retryAfterMs: 1500 });
    expect(error).toMatchObject({ code, message: 'It went wrong', retryAfterMs: 1500 });
    expect(error.cause).toBeUndefined();
  });
});
