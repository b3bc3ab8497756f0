import type { ModelProvider, ProviderName } from '../../contract/providers.ts';
import type { FailureClass } from '../../contract/task.ts';
import type { Runtime } from '../runtime.ts';
import { fetchFromProvider } from './fetch-from-provider.ts';
import type { ProviderConnections } from './provider-connections.ts';
import { definitionOf } from './provider-list.ts';
import type { ModelFailure } from './resolved-model.ts';

const TIMEOUT_MS = 5000;

export interface ProviderCheck {
  healthy: boolean;
  latencyMs?: number;
  message?: string;
  /** Why the request failed, such as `auth`. */
  code?: string;
}

/** What to say of an error of a provider, without secrets. */
export type Explain = (name: ProviderName, error: unknown) => { message: string; code?: string };

/** Failures that stay until a person has done something. */
const needingPerson: readonly string[] = ['auth', 'quota'] satisfies FailureClass[];

type LastSeen = Pick<ModelProvider, 'healthCheckedAt' | 'lastUsedAt'> & Partial<ProviderCheck>;

/** Failures that say nothing about the health of the provider. */
const causedByCaller: FailureClass[] = ['invalid_input', 'cancelled', 'rate_limited'];

/** Shown to every signed-in user, so they never quote the provider about a request. */
const explanations: Partial<Record<FailureClass, string>> = {
  auth: 'It refuses the key',
  quota: 'There is no credit left for the key',
  timeout: 'It did not answer in time',
  network: 'It could not be reached, or it failed',
  agent_error: 'Its answer could not be read',
};

/** Checks whether providers answer and remembers the last result, of a call or of a check. */
export class ProviderHealth {
  readonly #connections: ProviderConnections;
  readonly #clock: Pick<Runtime, 'monotonic' | 'now'>;
  readonly #explain: Explain;
  readonly #pending = new Map<ProviderName, Promise<ProviderCheck>>();
  readonly #seen = new Map<ProviderName, LastSeen>();
  /** What a person has to mend, as a sentence. */
  readonly #problems = new Map<ProviderName, string>();

  constructor(deps: {
    connections: ProviderConnections;
    clock: Pick<Runtime, 'monotonic' | 'now'>;
    explain: Explain;
  }) {
    this.#connections = deps.connections;
    this.#clock = deps.clock;
    this.#explain = deps.explain;
  }

  /** The last result; undefined where there is none since the last change. */
  last(type: ProviderName): LastSeen | undefined {
    return this.#seen.get(type);
  }

  /** The providers whose key was refused or is used up when they were last asked, with a sentence about it. */
  problems(): ReadonlyMap<ProviderName, string> {
    return this.#problems;
  }

  /** Records the outcome of a call; `failure` is undefined where it succeeded. */
  recordUse(type: ProviderName, failure: ModelFailure | undefined): void {
    const lastUsedAt = this.#clock.now().toISOString();
    if (!failure) this.#remember(type, { healthy: true, lastUsedAt });
    else if (causedByCaller.includes(failure.class))
      this.#seen.set(type, { ...this.#seen.get(type), lastUsedAt });
    else {
      const message = `${explanations[failure.class] ?? 'It failed'} (${failure.code})`;
      this.#remember(type, { healthy: false, message, code: failure.class, lastUsedAt });
    }
  }

  forget(type: ProviderName): void {
    this.#seen.delete(type);
    this.#problems.delete(type);
    this.#pending.delete(type);
  }

  /** Runs a check; concurrent calls share one per provider. */
  check(type: ProviderName): Promise<ProviderCheck> {
    const known = this.#pending.get(type);
    if (known) return known;
    const check = this.#check(type).then((result) => {
      // A result from before a change of settings is discarded.
      if (this.#pending.get(type) === check) {
        this.#pending.delete(type);
        this.#remember(type, result);
      }
      return result;
    });
    this.#pending.set(type, check);
    return check;
  }

  #remember(type: ProviderName, { healthy, latencyMs, message, code, lastUsedAt }: LastSeen): void {
    if (message !== undefined && code !== undefined && needingPerson.includes(code))
      this.#problems.set(type, message);
    else this.#problems.delete(type);
    const usedAt = lastUsedAt ?? this.#seen.get(type)?.lastUsedAt;
    this.#seen.set(type, {
      ...(healthy !== undefined && { healthy }),
      ...(latencyMs !== undefined && { latencyMs }),
      ...(message !== undefined && { message }),
      healthCheckedAt: this.#clock.now().toISOString(),
      ...(usedAt !== undefined && { lastUsedAt: usedAt }),
    });
  }

  async #check(type: ProviderName): Promise<ProviderCheck> {
    const provider = definitionOf(type);
    const missing = this.#connections.missing(type);
    if (missing !== undefined) return { healthy: false, message: `Not configured: ${missing}` };
    const started = this.#clock.monotonic();
    try {
      const connection = this.#connections.of(type);
      const path = provider.healthPath ?? provider.list?.path ?? '/models';
      await fetchFromProvider(provider, connection, path, AbortSignal.timeout(TIMEOUT_MS));
      return { healthy: true, latencyMs: Math.round(this.#clock.monotonic() - started) };
    } catch (error) {
      return { healthy: false, ...this.#explain(type, error) };
    }
  }
}
