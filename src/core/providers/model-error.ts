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

/** The failure of a provider, for callers: without the cause, which holds the prompt. */
export class ModelError extends AppError {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    const { class: kind, code, message, retryAfterMs } = failure;
    super(codes[kind] ?? 'unavailable', message, {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      isLasting: lasting.includes(kind) || code === NOT_CONFIGURED,
    });
    this.failure = failure;
  }
}

/** A request to a provider that failed before a model could be called. */
export class ModelRequestFailed extends ModelError {}

/** Converts the failure of a model call to an error for callers. */
export const modelError = (failure: ModelFailure): ModelError => new ModelError(failure);
