import { AppError } from '../errors.ts';
import type { ModelProviders } from './model-providers.ts';
import type { ModelFailure, ResolvedModel } from './resolved-model.ts';

/** How long one answer of a model may take. */
export const LONGEST_CALL_MS = 5 * 60_000;

/** The stream of a vendor ended before the answer did. */
export class BrokenOff extends Error {}

export const nobodyWaits = () => new AppError('wrong_state', 'The request was cancelled');

/** What went wrong with a call, in our words; the provider's breaker hears of it. */
export function failCall(
  providers: Pick<ModelProviders, 'toFailure' | 'failed'>,
  { provider, modelId }: ResolvedModel,
  error: unknown,
  { timeout, longestMs }: { timeout: AbortSignal; longestMs: number },
): ModelFailure {
  const ours = { class: 'network', retryAfterMs: undefined } as const;
  let failure: ModelFailure;
  if (timeout.aborted)
    failure = {
      ...ours,
      class: 'timeout',
      code: 'timeout',
      message: `${modelId} of ${provider} did not finish its answer within ${longestMs / 1000} s`,
    };
  else if (error instanceof BrokenOff)
    failure = { ...ours, code: 'broken_off', message: `${provider} broke off its answer` };
  else failure = providers.toFailure(provider, error);
  providers.failed(provider, failure);
  return failure;
}
