import {
  type AddProvider,
  type ConfigureModelProvider,
  isBuiltIn,
  type Model,
  type ModelProvider,
  type ProviderName,
} from '../../contract/providers.ts';
import type { Setting } from '../../contract/config.ts';
import { displayName } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import { type ModelFetch, problemOfModelUrl } from '../outbound/model-fetch.ts';
import { isOwnError } from '../outbound/outbound-error.ts';
import type { Runtime } from '../runtime.ts';
import { ModelRequestFailed } from './model-error.ts';
import { embeddingBackendOf } from './embedding-backends.ts';
import { knownModelsOf } from './known-models.ts';
import { withRepairedAnswers } from './repaired-answers.ts';
import { chooseModel, defaultProvider, type ModelRequest } from './model-choice.ts';
import type { Connection, ModelProvider as Definition } from './model-provider.ts';
import { ModelCheck } from './model-check.ts';
import { toModelFailure } from './model-failure.ts';
import { type ListedModels, ModelListing } from './model-listing.ts';
import type { Changer } from './audit-change.ts';
import { ProviderBreakers, type ProviderUse } from './provider-breakers.ts';
import { ProviderChanges, type ProviderChangesDeps } from './provider-changes.ts';
import { configuredUrls, ProviderConnections } from './provider-connections.ts';
import { type Explain, ProviderHealth, type ProviderCheck } from './provider-health.ts';
import { notConfigured } from './not-configured.ts';
import { type FindUsers, ProviderRemoval } from './provider-removal.ts';
import { definitionOf, providerTypes } from './provider-list.ts';
import { type ModelPrice, priceOf } from './model-prices.ts';
import type { ModelFailure, ResolvedModel, VendorEmbeddingModel } from './resolved-model.ts';
import { maskKey } from '../text/safe-text.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { UsedBy } from '../usage/usage-record.ts';
import { WholeAnswers } from './whole-answers.ts';

/** How old the lists of all providers together may be. */
const RECENT_MS = 60_000;

export interface ModelProvidersDeps extends Omit<ProviderChangesDeps, 'connections'> {
  fetch: ModelFetch;
  runtime: Runtime;
  bus: EventBus;
  log: Log;
  budgets: Pick<Budgets, 'require'>;
}

/** The model providers with their settings, health and models. */
export class ModelProviders {
  readonly #deps: ModelProvidersDeps;
  readonly #connections: ProviderConnections;
  readonly #changes: ProviderChanges;
  readonly #listing: ModelListing;
  readonly #health: ProviderHealth;
  readonly #check: ModelCheck;
  readonly #removal: ProviderRemoval;
  readonly #wholeAnswers = new WholeAnswers();
  readonly #factories = new WeakMap<Connection, ReturnType<Definition['create']>>();
  readonly #breakers: ProviderBreakers;

  constructor(deps: ModelProvidersDeps) {
    this.#deps = deps;
    this.#breakers = new ProviderBreakers(deps.runtime.monotonic);
    this.#connections = new ProviderConnections(deps.config, this.#wholeAnswers.fetch(deps.fetch));
    this.#changes = new ProviderChanges({ ...deps, connections: this.#connections });
    this.#removal = new ProviderRemoval({ ...deps, connections: this.#connections, changes: this.#changes });
    this.#listing = new ModelListing(this.#connections, deps.runtime.monotonic);
    const explain: Explain = (name, error) =>
      isOwnError(error) ? { message: error.message } : this.toFailure(name, error);
    this.#health = new ProviderHealth({
      connections: this.#connections,
      clock: deps.runtime,
      explain: (name, error) => {
        const { message, code } = explain(name, error);
        return { message, ...(code !== undefined && { code }) };
      },
    });
    this.#check = new ModelCheck({
      config: deps.config,
      connections: this.#connections,
      listing: this.#listing,
      explain: (name, error) => explain(name, error).message,
    });
  }

  /**
   * Resolves the model of a request for those who use it; throws an `AppError` with a hint where there is none. With `asks`,
   * the caller looks at the budgets that ask a person.
   */
  async resolve(
    request: ModelRequest,
    usedBy: UsedBy | undefined,
    options: { asks?: boolean } = {},
  ): Promise<ResolvedModel> {
    const { provider, modelId: named } = chooseModel(request, this.#deps.config, this.#connections);
    const connection = this.#connections.of(provider);
    this.#breakers.requireClosed(provider, 'chat');
    if (usedBy) await this.#deps.budgets.require(usedBy, options);
    const modelId = named ?? (await this.#firstModel(provider));
    const create = await this.#factoryOf(provider, connection);
    const known = knownModelsOf(provider).find(({ id }) => id === modelId);
    return {
      provider,
      modelId,
      model: this.#wholeAnswers.accept(withRepairedAnswers(create(modelId))),
      contextWindow: known?.contextWindow,
      price: this.priceOf({ provider, modelId }),
      supportsReasoning: known?.supportsReasoning ?? false,
      usedBy,
    };
  }

  /** Creates the models of a connection; its package is loaded once. */
  #factoryOf(provider: ProviderName, connection: Connection): ReturnType<Definition['create']> {
    let factory = this.#factories.get(connection);
    if (!factory) {
      factory = definitionOf(provider).create(connection);
      this.#factories.set(connection, factory);
      factory.catch(() => this.#factories.delete(connection));
    }
    return factory;
  }

  /** What calls of a model cost now; undefined where that is unknown. */
  priceOf(model: { provider: ProviderName; modelId: string }): ModelPrice | undefined {
    const { config, runtime } = this.#deps;
    return priceOf(model, { configured: config.get('models.prices'), now: runtime.now() });
  }

  /** Creates an embedding model; throws an `AppError` with a hint where the provider is not usable. */
  async embeddingModel(provider: ProviderName, modelId: string): Promise<VendorEmbeddingModel> {
    const connection = this.#connections.of(provider);
    this.#breakers.requireClosed(provider, 'embeddings');
    const backend = embeddingBackendOf(provider);
    if (!backend) throw new AppError('validation', `${displayName(provider)} has no embeddings`);
    return (await backend.create(connection))(modelId);
  }

  /** The provider and the model that a name stands for; throws an `AppError` where it names none. */
  choose(model: string): { provider: ProviderName; modelId: string } {
    const { provider, modelId } = chooseModel({ model }, this.#deps.config, this.#connections);
    if (modelId === undefined) throw new AppError('validation', `${model} names no model`);
    return { provider, modelId };
  }

  /** The missing setting, as the end of a sentence; undefined when a model can be called. */
  missing(): string | undefined {
    return this.#connections.usable().length > 0
      ? undefined
      : 'a model provider: svc providers configure openai';
  }

  /** The configured base URLs that requests may not go to, each with the reason; they may be older than the rule. */
  refusedUrls(): { provider: ProviderName; reason: string }[] {
    const { config } = this.#deps;
    const allowed = config.get('outbound.allowPrivate');
    return configuredUrls(config).flatMap(({ provider, url }) => {
      const reason = problemOfModelUrl(url, allowed);
      return reason === undefined ? [] : [{ provider, reason }];
    });
  }

  /** Converts an error to a failure whose message never quotes `texts`. */
  toFailure(provider: ProviderName, error: unknown, texts?: readonly string[]): ModelFailure {
    const key = this.#connections.key(provider);
    const now = this.#deps.runtime.now().getTime();
    return toModelFailure(error, { provider, secrets: key === undefined ? [] : [key], texts, now });
  }

  succeeded(provider: ProviderName, use: ProviderUse = 'chat'): void {
    if (use === 'chat') this.#health.recordUse(provider, undefined);
    this.#breakers.record(provider, use);
  }

  failed(provider: ProviderName, failure: ModelFailure, use: ProviderUse = 'chat'): void {
    if (use === 'chat') this.#health.recordUse(provider, failure);
    this.#breakers.record(provider, use, failure);
  }

  list(): { default: { provider: ProviderName; model?: string } | null; providers: ModelProvider[] } {
    return {
      default: this.#default(),
      providers: this.#connections.names().map((name) => this.#describe(name)),
    };
  }

  /** The providers whose key a person has to replace or pay for. */
  needingPerson(): { type: ProviderName; name: string; message: string }[] {
    return [...this.#health.problems()]
      .filter(([type]) => this.#connections.isEnabled(type) && this.#connections.missing(type) === undefined)
      .map(([type, message]) => ({ type, name: displayName(type), message }));
  }

  /** The circuit breakers of the usable providers and of those that were used. */
  breakers() {
    return this.#breakers.list(this.#connections.usable());
  }

  /** Lists the models of one provider; throws an `AppError` where it cannot be reached. */
  async modelsOf(type: ProviderName): Promise<ListedModels> {
    return this.#listing.of(type).catch((error: unknown) => {
      throw isOwnError(error) ? error : new ModelRequestFailed(this.toFailure(type, error));
    });
  }

  /** Lists the models of all usable providers or of one; providers that do not answer are left out. */
  async models({ provider }: { provider?: ProviderName | undefined }): Promise<{ models: Model[] }> {
    const listed = async (name: ProviderName) =>
      (this.#listing.recent(name, RECENT_MS) ?? (await this.modelsOf(name))).models;
    if (provider) return { models: await listed(provider) };
    const lists = await Promise.all(
      this.#connections.usable().map(async (type) => {
        try {
          return await listed(type);
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

  async health(name: ProviderName): Promise<ProviderCheck & { provider: ProviderName }> {
    this.#connections.require(name);
    return { provider: name, ...(await this.#health.check(name)) };
  }

  /** Checks the provider and, where it answers, whether it has its default model. */
  async check(
    name: ProviderName,
  ): Promise<ProviderCheck & { provider: ProviderName; modelProblem?: string }> {
    const health = await this.health(name);
    const modelProblem = health.healthy ? await this.#problemOfDefaultModel(name) : undefined;
    return { ...health, ...(modelProblem !== undefined && { modelProblem }) };
  }

  /**
   * Throws an `AppError` where the model of a request cannot be used: the provider is not known or not configured, or has
   * no such model. Returns a warning where that could not be checked.
   */
  checkModel(request: ModelRequest): Promise<string | undefined> {
    return this.#check.require(request);
  }

  async #problemOfDefaultModel(name: ProviderName): Promise<string | undefined> {
    const { modelId } = chooseModel({ provider: name }, this.#deps.config, this.#connections);
    for (const id of new Set([modelId, this.#connections.defaultModel(name)])) {
      const verdict = id === undefined ? undefined : await this.#check.verdictOf(name, id);
      if (verdict?.kind === 'unknown') return verdict.message;
    }
    return undefined;
  }

  /** Adds a server by a name of its own. */
  async add(input: AddProvider, changer: Changer): Promise<ModelProvider> {
    await this.#changes.add(input, changer);
    this.#resetState(input.name);
    return this.#describe(input.name);
  }

  /** Registers what may use a provider by its name. */
  addUsers(find: FindUsers): void {
    this.#removal.addUsers(find);
  }

  /** Removes a server. One that is the default or in use only with `force`; then it returns what used it. */
  async remove(name: ProviderName, changer: Changer, force = false): Promise<string[]> {
    const uses = await this.#removal.remove(name, changer, force);
    this.#resetState(name);
    return uses;
  }

  async configure(
    type: ProviderName,
    change: ConfigureModelProvider,
    changer: Changer,
  ): Promise<ModelProvider> {
    await this.#changes.configure(type, change, changer);
    this.#resetState(type);
    return this.#describe(type);
  }

  async setDefault(
    { provider, model }: { provider: ProviderName; model?: string | undefined },
    changer: Changer,
  ): Promise<{ default: { provider: ProviderName; model?: string }; warnings?: string[] }> {
    this.#connections.require(provider);
    const warning = await this.checkModel({ provider, model }).catch(asWarning);
    await this.#changes.setDefault(provider, model, changer);
    return {
      default: { provider, ...(model !== undefined && { model }) },
      ...(warning !== undefined && { warnings: [warning] }),
    };
  }

  /** Writes any setting; those of providers by the same rules as `configure`. */
  async setSetting(key: string, value: unknown, author: string | undefined): Promise<Setting> {
    const setting = await this.#changes.set(key, value, author);
    this.resetFor(key);
    return setting;
  }

  /** Forgets what was learned about providers whose setting has changed, such as their health. */
  resetFor(key: string): void {
    const type = providerTypes.find((each) => key.startsWith(`providers.${each}.`));
    if (type) this.#resetState(type);
    if (key === 'providers.servers')
      for (const name of this.#connections.names()) if (!isBuiltIn(name)) this.#resetState(name);
  }

  #default() {
    const provider = defaultProvider(this.#deps.config, this.#connections);
    if (!provider) return null;
    const { modelId } = chooseModel({ provider }, this.#deps.config, this.#connections);
    return { provider, ...(modelId !== undefined && { model: modelId }) };
  }

  #describe(type: ProviderName): ModelProvider {
    const { config } = this.#deps;
    const key = this.#connections.key(type);
    const baseUrl = this.#connections.baseUrl(type);
    const defaultModel = this.#connections.defaultModel(type) ?? definitionOf(type).defaultModel;
    const resourceName = type === 'azure' ? config.get('providers.azure.resourceName') : undefined;
    const apiVersion = type === 'azure' ? config.get('providers.azure.apiVersion') : undefined;
    return {
      type,
      name: displayName(type),
      ...(!isBuiltIn(type) && { custom: true }),
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

  async #firstModel(type: ProviderName): Promise<string> {
    const first = definitionOf(type).list ? (await this.modelsOf(type)).models[0] : undefined;
    if (first) return first.id;
    throw notConfigured(
      `${type} has no default model. Set one: svc providers configure ${type} --no-key --default-model MODEL`,
      'model',
    );
  }

  /** Drops health and circuit breakers, which no longer apply after a change. */
  #resetState(type: ProviderName): void {
    this.#health.forget(type);
    this.#listing.forget(type);
    this.#breakers.forget(type);
    this.#deps.bus.emit('agents_changed', undefined);
  }
}

/** A provider may be chosen before it is configured. */
function asWarning(error: unknown): string {
  if (error instanceof AppError && error.code === 'unavailable') return error.message;
  throw error;
}
