import type { ModelProvider, ModelProviderType } from '../../contract/providers.ts';
import type { FailureClass } from '../../contract/task.ts';
import type { Runtime } from '../runtime.ts';
import { askProvider } from './ask-provider.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { modelProviders } from './provider-list.ts';
import type { ModelFailure } from './resolved-model.ts';

const TIMEOUT_MS = 5000;

export interface ProviderLook {
  healthy: boolean;
  latencyMs?: number;
  message?: string;
}

type LastSeen = Pick<ModelProvider, 'healthCheckedAt' | 'lastUsedAt'> & Partial<ProviderLook>;

/** Failures that say nothing about the health of the provider. */
const causedByCaller: FailureClass[] = ['invalid_input', 'cancelled', 'rate_limited'];

/** Everybody who is signed in reads them, so they repeat nothing that the provider said about a request. */
const explanations: Partial<Record<FailureClass, string>> = {
  auth: 'It refuses the key',
  quota: 'There is no credit left for the key',
  timeout: 'It did not answer in time',
  network: 'It could not be reached, or it failed',
  agent_error: 'Its answer could not be read',
};

/** Checks whether providers answer, and remembers how each was last seen, in use or by a check. */
export class ProviderHealth {
  readonly #connections: ProviderConnections;
  readonly #clock: Pick<Runtime, 'monotonic' | 'now'>;
  readonly #explain: (type: ModelProviderType, error: unknown) => string;
  readonly #flights = new Map<ModelProviderType, Promise<ProviderLook>>();
  readonly #seen = new Map<ModelProviderType, LastSeen>();

  constructor(deps: {
    connections: ProviderConnections;
    clock: Pick<Runtime, 'monotonic' | 'now'>;
    explain: (type: ModelProviderType, error: unknown) => string;
  }) {
    this.#connections = deps.connections;
    this.#clock = deps.clock;
    this.#explain = deps.explain;
  }

  /** How it was last seen; undefined while it was not since the last change. */
  last(type: ModelProviderType): LastSeen | undefined {
    return this.#seen.get(type);
  }

  /** Takes what became of a call; `failure` is undefined where it succeeded. */
  used(type: ModelProviderType, failure: ModelFailure | undefined): void {
    const lastUsedAt = this.#clock.now().toISOString();
    if (!failure) this.#remember(type, { healthy: true, lastUsedAt });
    else if (causedByCaller.includes(failure.class))
      this.#seen.set(type, { ...this.#seen.get(type), lastUsedAt });
    else {
      const message = `${explanations[failure.class] ?? 'It failed'} (${failure.code})`;
      this.#remember(type, { healthy: false, message, lastUsedAt });
    }
  }

  forget(type: ModelProviderType): void {
    this.#seen.delete(type);
    this.#flights.delete(type);
  }

  /** One look under way per provider, whoever asks. */
  look(type: ModelProviderType): Promise<ProviderLook> {
    const known = this.#flights.get(type);
    if (known) return known;
    const flight = this.#look(type).then((look) => {
      // A look at what has been changed since is of no use.
      if (this.#flights.get(type) === flight) {
        this.#flights.delete(type);
        this.#remember(type, look);
      }
      return look;
    });
    this.#flights.set(type, flight);
    return flight;
  }

  #remember(type: ModelProviderType, { healthy, latencyMs, message, lastUsedAt }: LastSeen): void {
    const usedAt = lastUsedAt ?? this.#seen.get(type)?.lastUsedAt;
    this.#seen.set(type, {
      ...(healthy !== undefined && { healthy }),
      ...(latencyMs !== undefined && { latencyMs }),
      ...(message !== undefined && { message }),
      healthCheckedAt: this.#clock.now().toISOString(),
      ...(usedAt !== undefined && { lastUsedAt: usedAt }),
    });
  }

  async #look(type: ModelProviderType): Promise<ProviderLook> {
    const provider = modelProviders[type];
    const missing = this.#connections.missing(type);
    if (missing !== undefined) return { healthy: false, message: `Not configured: ${missing}` };
    const started = this.#clock.monotonic();
    try {
      const connection = this.#connections.of(type);
      const path = provider.healthPath ?? provider.list?.path ?? '/models';
      await askProvider(provider, connection, path, AbortSignal.timeout(TIMEOUT_MS));
      return { healthy: true, latencyMs: Math.round(this.#clock.monotonic() - started) };
    } catch (error) {
      return { healthy: false, message: this.#explain(type, error) };
    }
  }
}
