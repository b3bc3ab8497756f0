import type { ModelProviderType } from '../../contract/providers.ts';
import type { Config } from '../config/config.ts';
import { providerNames } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import type { ModelFetch } from '../outbound/model-fetch.ts';
import { type Connection, isDated } from './model-provider.ts';
import { modelProviders, providerTypes } from './provider-list.ts';

/** How each provider is reached; reads the settings anew, so that a change counts at once. */
export class ProviderConnections {
  readonly #config: Config;
  readonly #fetch: ModelFetch;
  constructor(config: Config, fetch: ModelFetch) {
    this.#config = config;
    this.#fetch = fetch;
  }

  key(type: ModelProviderType): string | undefined {
    const key = this.#config.secret(`providers.${type}.apiKey`);
    // Anything else cannot be a header; the error of it would hold the key.
    return key !== undefined && /^[\x21-\x7e]+$/.test(key) ? key : undefined;
  }

  isEnabled(type: ModelProviderType): boolean {
    return this.#config.get(`providers.${type}.enabled`);
  }

  /** What stands in the way of asking the provider, as the end of a sentence; undefined where nothing does. */
  missing(type: ModelProviderType): string | undefined {
    if (modelProviders[type].needsKey && this.key(type) === undefined) return 'it needs a key';
    const hasUrl = this.#config.get(`providers.${type}.baseUrl`) !== undefined;
    if (type === 'azure' && !hasUrl && this.#config.get('providers.azure.resourceName') === undefined)
      return 'it needs a resource name';
    // Not everybody has one on this machine.
    if (type === 'ollama' && !hasUrl) return 'nobody has set it up';
    return undefined;
  }

  /** The providers that may be asked. */
  usable(): ModelProviderType[] {
    return providerTypes.filter((type) => this.isEnabled(type) && this.missing(type) === undefined);
  }

  /** Where the provider is; undefined while Azure has no resource. */
  baseUrl(type: ModelProviderType): string | undefined {
    const configured = this.#config.get(`providers.${type}.baseUrl`)?.replace(/\/+$/, '');
    if (type === 'azure') return configured === undefined ? this.#azureUrl() : azureBase(configured);
    // Ollama's tools want the address, OpenAI's the path too: people set either.
    if (type === 'ollama') return (configured ?? modelProviders.ollama.baseUrl)?.replace(/\/v1$/, '');
    return configured ?? modelProviders[type].baseUrl;
  }

  /** Throws an `AppError` that says what to do where the provider may not be asked. */
  of(type: ModelProviderType): Connection {
    const missing = this.missing(type);
    const command = `svc providers configure ${type}`;
    if (missing !== undefined)
      throw new AppError('unavailable', `${type} is not configured: ${missing}. ${command}`);
    if (!this.isEnabled(type))
      throw new AppError('unavailable', `${providerNames[type]} is turned off: providers.${type}.enabled`);
    const apiVersion = type === 'azure' ? this.#config.get('providers.azure.apiVersion') : undefined;
    const path = type === 'azure' && !isDated(apiVersion) ? '/v1' : '';
    const baseUrl = `${this.baseUrl(type) ?? ''}${path}`;
    const vendors = modelProviders[type].baseUrl;
    return {
      apiKey: this.key(type) ?? '',
      baseUrl,
      isVendors: vendors !== undefined && originOf(vendors) === originOf(baseUrl),
      apiVersion,
      fetch: this.#fetch,
    };
  }

  #azureUrl(): string | undefined {
    const resource = this.#config.get('providers.azure.resourceName');
    return resource && `https://${resource}.openai.azure.com/openai`;
  }
}

/** Azure's own pages show the address, with or without the path of the API. */
const azureBase = (url: string) => {
  const base = url.replace(/\/v1$/, '');
  return new URL(base).pathname === '/' ? `${base}/openai` : base;
};

export const originOf = (url: string | undefined): string | undefined => url && URL.parse(url)?.origin;

/** The origins to which an administrator sends us: they may be near. */
export const configuredOrigins = (config: Config): ReadonlySet<string> =>
  new Set(
    providerTypes.flatMap((type) => {
      const url = config.get(`providers.${type}.baseUrl`);
      return url === undefined ? [] : new URL(url).origin;
    }),
  );
