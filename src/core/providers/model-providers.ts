import type {
  ConfigureModelProvider,
  Model,
  ModelProvider,
  ModelProviderType,
} from '../../contract/providers.ts';
import type { FailureClass } from '../../contract/task.ts';
import type { EmbeddingProvider } from '../config/memory-settings.ts';
import { providerNames } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import { CircuitBreaker } from '../limits/circuit-breaker.ts';
import type { Log } from '../log.ts';
import { type ModelFetch, problemOfModelUrl } from '../outbound/model-fetch.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { Runtime } from '../runtime.ts';
import { modelError } from './model-error.ts';
import { embeddingBackends } from './embedding-backends.ts';
import { knownModels } from './known-models.ts';
import { withRepairedAnswers } from './repaired-answers.ts';
import { chooseModel, defaultProvider, type ModelRequest } from './model-choice.ts';
import { toModelFailure } from './model-failure.ts';
import { type ListedModels, ModelListing } from './model-listing.ts';
import { type Changer, ProviderChanges, type ProviderChangesDeps } from './provider-changes.ts';
import { ProviderConnections } from './provider-connections.ts';
import { ProviderHealth, type ProviderCheck } from './provider-health.ts';
import { modelProviders, providerTypes } from './provider-list.ts';
import { type ModelPrice, priceOf } from './model-prices.ts';
import type { ModelFailure, ResolvedModel, VendorEmbeddingModel } from './resolved-model.ts';
import { maskKey } from '../text/safe-text.ts';
import { WholeAnswers } from './whole-answers.ts';

/** Embeddings are often served by other servers, so they have a circuit breaker of their own. */
type Use = 'chat' | 'embeddings';

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

export interface ModelProvidersDeps extends Omit<ProviderChangesDeps, 'connections'> {
  fetch: ModelFetch;
  runtime: Runtime;
  bus: EventBus;
  log: Log;
}

/** The model providers with their settings, health and models. */
export class ModelProviders {
  readonly #deps: ModelProvidersDeps;
  readonly #connections: ProviderConnections;
  readonly #changes: ProviderChanges;
  readonly #listing: ModelListing;
  readonly #health: ProviderHealth;
  readonly #wholeAnswers = new WholeAnswers();
  readonly #breakers = new Map<`${ModelProviderType} ${Use}`, CircuitBreaker>();

  constructor(deps: ModelProvidersDeps) {
    this.#deps = deps;
    this.#connections = new ProviderConnections(deps.config, this.#wholeAnswers.fetch(deps.fetch));
    this.#changes = new ProviderChanges({ ...deps, connections: this.#connections });
    this.#listing = new ModelListing(this.#connections);
    this.#health = new ProviderHealth({
      connections: this.#connections,
      clock: deps.runtime,
      explain: (type, error) => (isOwnError(error) ? error.message : this.toFailure(type, error).message),
    });
  }

  /** Resolves the model of a request; throws an `AppError` with a hint where there is none. */
  async resolve(request: ModelRequest): Promise<ResolvedModel> {
    const { provider, modelId: named } = chooseModel(request, this.#deps.config, this.#connections);
    const connection = this.#connections.of(provider);
    this.#requireClosed(provider, 'chat');
    const modelId = named ?? (await this.#firstModel(provider));
    const create = await modelProviders[provider].create(connection);
    const known = knownModels[provider]?.find(({ id }) => id === modelId);
    return {
      provider,
      modelId,
      model: this.#wholeAnswers.accept(withRepairedAnswers(create(modelId))),
      contextWindow: known?.contextWindow,
      price: this.priceOf({ provider, modelId }),
      supportsReasoning: known?.supportsReasoning ?? false,
    };
  }

  /** What calls of a model cost now; undefined where that is unknown. */
  priceOf(model: { provider: ModelProviderType; modelId: string }): ModelPrice | undefined {
    const { config, runtime } = this.#deps;
    return priceOf(model, { configured: config.get('models.prices'), now: runtime.now() });
  }

  /** Creates an embedding model; throws an `AppError` with a hint where the provider is not usable. */
  async embeddingModel(provider: EmbeddingProvider, modelId: string): Promise<VendorEmbeddingModel> {
    const connection = this.#connections.of(provider);
    this.#requireClosed(provider, 'embeddings');
    const create = await embeddingBackends[provider].create(connection);
    return create(modelId);
  }

  /** The missing setting, as the end of a sentence; undefined when a model can be called. */
  missing(): string | undefined {
    return this.#connections.usable().length > 0
      ? undefined
      : 'a model provider: svc providers configure openai';
  }

  /** The configured base URLs that requests may not go to, each with the reason; they may be older than the rule. */
  refusedUrls(): { provider: ModelProviderType; reason: string }[] {
    const { config } = this.#deps;
    const allowed = config.get('outbound.allowPrivate');
    return providerTypes.flatMap((provider) => {
      const url = config.get(`providers.${provider}.baseUrl`);
      const reason = url === undefined ? undefined : problemOfModelUrl(url, allowed);
      return reason === undefined ? [] : [{ provider, reason }];
    });
  }

  /** Converts an error to a failure whose message never quotes `texts`. */
  toFailure(provider: ModelProviderType, error: unknown, texts?: readonly string[]): ModelFailure {
    const key = this.#connections.key(provider);
    const now = this.#deps.runtime.now().getTime();
    return toModelFailure(error, { provider, secrets: key === undefined ? [] : [key], texts, now });
  }

  succeeded(provider: ModelProviderType, use: Use = 'chat'): void {
    if (use === 'chat') this.#health.recordUse(provider, undefined);
    this.#record(provider, use, async () => undefined);
  }

  failed(provider: ModelProviderType, failure: ModelFailure, use: Use = 'chat'): void {
    if (use === 'chat') this.#health.recordUse(provider, failure);
    this.#record(provider, use, () => Promise.reject(new FailedCall(failure)));
  }

  list(): { default: { provider: ModelProviderType; model?: string } | null; providers: ModelProvider[] } {
    return { default: this.#default(), providers: providerTypes.map((type) => this.#describe(type)) };
  }

  /** The circuit breakers of the usable providers and of those that were used. */
  breakers() {
    const uses = new Set(this.#connections.usable().map((type) => `${type} chat` as const));
    const names = new Set([...uses, ...this.#breakers.keys()]);
    return [...names].map((name) => {
      const { state = 'closed', failures = 0, successes = 0 } = this.#breakers.get(name) ?? {};
      const [type, use] = name.split(' ');
      return { name: `providers.${type}${use === 'chat' ? '' : `.${use}`}`, state, failures, successes };
    });
  }

  /** Lists the models of one provider; throws an `AppError` where it cannot be reached. */
  async modelsOf(type: ModelProviderType): Promise<ListedModels> {
    return this.#listing.of(type).catch((error: unknown) => {
      throw isOwnError(error) ? error : modelError(this.toFailure(type, error));
    });
  }

  /** Lists the models of all usable providers or of one; providers that do not answer are left out. */
  async models({ provider }: { provider?: ModelProviderType | undefined }): Promise<{ models: Model[] }> {
    if (provider) return { models: (await this.modelsOf(provider)).models };
    const lists = await Promise.all(
      this.#connections.usable().map(async (type) => {
        try {
          return (await this.modelsOf(type)).models;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          this.#deps.log.warn(
            { provider: type, reason: error.message },
            'could not list the models of a provider',
          );
          return [];
        }
      }),
    );
    return { models: lists.flat() };
  }

  async health(type: ModelProviderType): Promise<ProviderCheck & { provider: ModelProviderType }> {
    return { provider: type, ...(await this.#health.check(type)) };
  }

  async configure(
    type: ModelProviderType,
    change: ConfigureModelProvider,
    changer: Changer,
  ): Promise<ModelProvider> {
    await this.#changes.configure(type, change, changer);
    this.#resetState(type);
    return this.#describe(type);
  }

  async setDefault(
    choice: { provider: ModelProviderType; model?: string | undefined },
    changer: Changer,
  ): Promise<{ provider: ModelProviderType; model?: string }> {
    await this.#changes.setDefault(choice.provider, choice.model, changer);
    return { provider: choice.provider, ...(choice.model !== undefined && { model: choice.model }) };
  }

  /** Writes any setting; those of providers by the same rules as `configure`. */
  setSetting(key: string, value: unknown) {
    const setting = this.#changes.set(key, value);
    const type = providerTypes.find((each) => key.startsWith(`providers.${each}.`));
    if (type) this.#resetState(type);
    return setting;
  }

  #default() {
    const provider = defaultProvider(this.#deps.config, this.#connections);
    if (!provider) return null;
    const { modelId } = chooseModel({ provider }, this.#deps.config, this.#connections);
    return { provider, ...(modelId !== undefined && { model: modelId }) };
  }

  #describe(type: ModelProviderType): ModelProvider {
    const { config } = this.#deps;
    const key = this.#connections.key(type);
    const baseUrl = this.#connections.baseUrl(type);
    const defaultModel = config.get(`providers.${type}.defaultModel`) ?? modelProviders[type].defaultModel;
    const resourceName = type === 'azure' ? config.get('providers.azure.resourceName') : undefined;
    const apiVersion = type === 'azure' ? config.get('providers.azure.apiVersion') : undefined;
    return {
      type,
      name: providerNames[type],
      configured: this.#connections.missing(type) === undefined,
      enabled: this.#connections.isEnabled(type),
      healthy: false,
      ...this.#health.last(type),
      ...(key !== undefined && { apiKey: maskKey(key) }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(defaultModel !== undefined && { defaultModel }),
      ...(resourceName !== undefined && { resourceName }),
      ...(apiVersion !== undefined && { apiVersion }),
    };
  }

  async #firstModel(type: ModelProviderType): Promise<string> {
    const first = modelProviders[type].list ? (await this.modelsOf(type)).models[0] : undefined;
    if (first) return first.id;
    throw new AppError('unavailable', `${type} has no default model: svc providers configure ${type}`);
  }

  #requireClosed(type: ModelProviderType, use: Use): void {
    const retryAfterMs = this.#breakers.get(`${type} ${use}`)?.blockedForMs ?? 0;
    if (retryAfterMs <= 0) return;
    const seconds = Math.ceil(retryAfterMs / 1000);
    throw new AppError(
      'unavailable',
      `${providerNames[type]} failed several times in a row. It is tried again in ${seconds} s.`,
      { retryAfterMs },
    );
  }

  #record(type: ModelProviderType, use: Use, outcome: () => Promise<void>): void {
    const breaker =
      this.#breakers.get(`${type} ${use}`) ?? new CircuitBreaker(isOutage, this.#deps.runtime.monotonic);
    this.#breakers.set(`${type} ${use}`, breaker);
    // Rejects with the recorded failure, or because the breaker is open already.
    breaker.run(outcome).catch(() => undefined);
  }

  /** Drops health and circuit breakers, which no longer apply after a change. */
  #resetState(type: ModelProviderType): void {
    this.#health.forget(type);
    this.#breakers.delete(`${type} chat`);
    this.#breakers.delete(`${type} embeddings`);
    this.#deps.bus.emit('agents_changed', undefined);
  }
}

/** Whether the error is an `AppError` of our own, not of the network. */
const isOwnError = (error: unknown): error is AppError =>
  error instanceof AppError && !(error instanceof OutboundError);
