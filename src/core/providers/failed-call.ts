import type { FailureClass } from '../../contract/task.ts';
import type { ModelFailure } from './resolved-model.ts';

/** Failures of the provider itself, not of a request or a key. */
const outages: FailureClass[] = ['network', 'timeout'];

/** A failed call, as a circuit breaker counts it. */
export class FailedCall extends Error {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Whether an error is the failure of a provider that is away. */
export const isOutage = (error: unknown): boolean =>
  error instanceof FailedCall && outages.includes(error.failure.class);
