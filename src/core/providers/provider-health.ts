import type { ProviderType } from '../../contract/providers.ts';
import { askProvider } from './ask-provider.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { modelProviders } from './provider-list.ts';

const TIMEOUT_MS = 5000;

export interface ProviderLook {
  healthy: boolean;
  latencyMs?: number;
  message?: string;
}

/** Looks whether providers answer, and remembers what the last look showed. */
export class ProviderHealth {
  readonly #connections: ProviderConnections;
  readonly #monotonic: () => number;
  readonly #explain: (type: ProviderType, error: unknown) => string;
  readonly #flights = new Map<ProviderType, Promise<ProviderLook>>();
  readonly #looks = new Map<ProviderType, ProviderLook>();

  constructor(deps: {
    connections: ProviderConnections;
    monotonic: () => number;
    explain: (type: ProviderType, error: unknown) => string;
  }) {
    this.#connections = deps.connections;
    this.#monotonic = deps.monotonic;
    this.#explain = deps.explain;
  }

  /** What the last look showed; undefined while nobody has looked since the last change. */
  last(type: ProviderType): ProviderLook | undefined {
    return this.#looks.get(type);
  }

  forget(type: ProviderType): void {
    this.#looks.delete(type);
    this.#flights.delete(type);
  }

  /** One look under way per provider, whoever asks. */
  look(type: ProviderType): Promise<ProviderLook> {
    const known = this.#flights.get(type);
    if (known) return known;
    const flight = this.#look(type).then((look) => {
      // A look at what has been changed since is of no use.
      if (this.#flights.get(type) === flight) {
        this.#flights.delete(type);
        this.#looks.set(type, look);
      }
      return look;
    });
    this.#flights.set(type, flight);
    return flight;
  }

  async #look(type: ProviderType): Promise<ProviderLook> {
    const provider = modelProviders[type];
    const missing = this.#connections.missing(type);
    if (missing !== undefined) return { healthy: false, message: `Not configured: ${missing}` };
    const started = this.#monotonic();
    try {
      const connection = this.#connections.of(type);
      const path = provider.healthPath ?? provider.list?.path ?? '/models';
      await askProvider(provider, connection, path, AbortSignal.timeout(TIMEOUT_MS));
      return { healthy: true, latencyMs: Math.round(this.#monotonic() - started) };
    } catch (error) {
      return { healthy: false, message: this.#explain(type, error) };
    }
  }
}
