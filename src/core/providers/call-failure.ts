import { AppError } from '../errors.ts';
import { MAX_CALLS, TooManyCalls } from './call-limit.ts';
import type { ModelProviders } from './model-providers.ts';
import type { ModelFailure, ResolvedModel } from './resolved-model.ts';

/** The time limit of one model call. */
export const MAX_CALL_MS = 5 * 60_000;

/** The stream of a vendor stopped before the answer was complete. */
export class StreamInterrupted extends Error {}

export const requestCancelled = () => new AppError('wrong_state', 'The request was cancelled');

/** Converts the error of a call to a `ModelFailure` and records it with the circuit breaker of the provider. */
export function failCall(
  providers: Pick<ModelProviders, 'toFailure' | 'failed'>,
  { provider, modelId }: ResolvedModel,
  error: unknown,
  { timeout, longestMs }: { timeout: AbortSignal; longestMs: number },
): ModelFailure {
  const defaults = { class: 'network', retryAfterMs: undefined } as const;
  let failure: ModelFailure;
  if (timeout.aborted)
    failure = {
      ...defaults,
      class: 'timeout',
      code: 'timeout',
      message: `${modelId} of ${provider} did not finish its answer within ${longestMs / 1000} s`,
    };
  else if (error instanceof StreamInterrupted)
    failure = { ...defaults, code: 'broken_off', message: `${provider} interrupted its answer` };
  else if (error instanceof TooManyCalls)
    failure = {
      ...defaults,
      class: 'agent_error',
      code: 'too_many_calls',
      message: `${modelId} of ${provider} called more than ${MAX_CALLS} tools in one answer, so none of them ran`,
    };
  else failure = providers.toFailure(provider, error);
  providers.failed(provider, failure);
  return failure;
}
