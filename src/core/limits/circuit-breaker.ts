import {
  type CircuitBreakerPolicy,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
} from 'cockatiel';

const OPEN_AFTER_FAILURES = 5;
const HALF_OPEN_AFTER_MS = 30_000;

export { isBrokenCircuitError };

/** A circuit breaker that opens for half a minute after five consecutive faults. */
export class CircuitBreaker {
  failures = 0;
  successes = 0;
  readonly #policy: CircuitBreakerPolicy;
  readonly #monotonic: () => number;
  #openedAt = 0;

  constructor(isFault: (error: unknown) => boolean, monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#policy = circuitBreaker(handleWhen(isFault), {
      halfOpenAfter: HALF_OPEN_AFTER_MS,
      breaker: new ConsecutiveBreaker(OPEN_AFTER_FAILURES),
    });
    this.#policy.onBreak(() => (this.#openedAt = monotonic()));
    this.#policy.onFailure(() => this.failures++);
    this.#policy.onSuccess(() => this.successes++);
  }

  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#policy.state === CircuitState.Closed) return 'closed';
    return this.#policy.state === CircuitState.HalfOpen ? 'half-open' : 'open';
  }

  /** Milliseconds until the next call may be tried; 0 when one may be made now. */
  get blockedForMs(): number {
    return this.state === 'open' ? Math.max(0, this.#openedAt + HALF_OPEN_AFTER_MS - this.#monotonic()) : 0;
  }

  /** Runs the call, or throws a broken-circuit error at once. */
  run<T>(call: () => Promise<T>): Promise<T> {
    return this.#policy.execute(call);
  }
}
