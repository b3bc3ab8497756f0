import type { ProviderName } from '../../contract/providers.ts';
import type { FailureClass } from '../../contract/task.ts';
import { displayName } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import { CircuitBreaker } from '../limits/circuit-breaker.ts';
import type { ModelFailure } from './resolved-model.ts';

/** Embeddings are often served by other servers, so they have a circuit breaker of their own. */
export type ProviderUse = 'chat' | 'embeddings';

/** Failures of the provider itself, not of a request or a key. */
const outages: FailureClass[] = ['network', 'timeout'];

class FailedCall extends Error {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
const isOutage = (error: unknown) => error instanceof FailedCall && outages.includes(error.failure.class);

/** The circuit breakers of the providers. */
export class ProviderBreakers {
  readonly #breakers = new Map<`${ProviderName} ${ProviderUse}`, CircuitBreaker>();
  readonly #monotonic: () => number;
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Throws while the provider is not to be asked. */
  requireClosed(type: ProviderName, use: ProviderUse): void {
    const retryAfterMs = this.#breakers.get(`${type} ${use}`)?.blockedForMs ?? 0;
    if (retryAfterMs <= 0) return;
    const seconds = Math.ceil(retryAfterMs / 1000);
    throw new AppError(
      'unavailable',
      `${displayName(type)} failed several times in a row. It is tried again in ${seconds} s.`,
      { retryAfterMs },
    );
  }

  /** Records a call, with its failure where it failed. */
  record(type: ProviderName, use: ProviderUse, failure?: ModelFailure): void {
    const breaker = this.#breakers.get(`${type} ${use}`) ?? new CircuitBreaker(isOutage, this.#monotonic);
    this.#breakers.set(`${type} ${use}`, breaker);
    const outcome = async () => {
      if (failure) throw new FailedCall(failure);
    };
    // Rejects with the recorded failure, or because the breaker is open already.
    breaker.run(outcome).catch(() => undefined);
  }

  /** The breakers of the usable providers and of those that were used. */
  list(usable: readonly ProviderName[]) {
    const names = new Set([...usable.map((type) => `${type} chat` as const), ...this.#breakers.keys()]);
    return [...names].map((name) => {
      const { state = 'closed', failures = 0, successes = 0 } = this.#breakers.get(name) ?? {};
      const [type, use] = name.split(' ');
      return { name: `providers.${type}${use === 'chat' ? '' : `.${use}`}`, state, failures, successes };
    });
  }

  /** Forgets what was recorded of a provider, after a change. */
  forget(type: ProviderName): void {
    this.#breakers.delete(`${type} chat`);
    this.#breakers.delete(`${type} embeddings`);
  }
}
