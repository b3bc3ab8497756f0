import type { FailureClass } from '../../contract/task.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { ModelFailure } from './resolved-model.ts';

const codes: Partial<Record<FailureClass, ErrorCode>> = {
  rate_limited: 'rate_limited',
  invalid_input: 'validation',
  cancelled: 'wrong_state',
};

/** Converts the failure of a model call to an `AppError`, without the cause, which holds the prompt. */
export const modelError = ({ class: kind, message, retryAfterMs }: ModelFailure): AppError =>
  new AppError(codes[kind] ?? 'unavailable', message, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
