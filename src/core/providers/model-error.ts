import type { FailureClass } from '../../contract/task.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { ModelFailure } from './resolved-model.ts';

/** The code of a run that failed because something has to be configured first. */
export const NOT_CONFIGURED = 'NOT_CONFIGURED';

const codes: Partial<Record<FailureClass, ErrorCode>> = {
  rate_limited: 'rate_limited',
  invalid_input: 'validation',
  cancelled: 'wrong_state',
};

/** A person has to change the key, the plan or the address. */
const lasting: FailureClass[] = ['auth', 'quota', 'policy_denied'];

/** A request to a provider that failed before a model could be called. */
export class ModelRequestFailed extends AppError {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    const { code, message, retryAfterMs, isLasting } = modelError(failure);
    super(code, message, { ...(retryAfterMs !== undefined && { retryAfterMs }), isLasting });
    this.failure = failure;
  }
}

/** Converts the failure of a model call to an `AppError`, without the cause, which holds the prompt. */
export const modelError = ({ class: kind, code, message, retryAfterMs }: ModelFailure): AppError =>
  new AppError(codes[kind] ?? 'unavailable', message, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    isLasting: lasting.includes(kind) || code === NOT_CONFIGURED,
  });
