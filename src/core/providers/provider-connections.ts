import type { ModelProviderType } from '../../contract/providers.ts';
import { trimSlashes } from '../../contract/trim-slashes.ts';
import type { Config } from '../config/config.ts';
import { providerNames } from '../config/provider-settings.ts';
import { AppError } from '../errors.ts';
import type { ModelFetch } from '../outbound/model-fetch.ts';
import { type Connection, isDated } from './model-provider.ts';
import { modelProviders, providerTypes } from './provider-list.ts';

/** Resolves the connection to each provider from the current settings. */
export class ProviderConnections {
  readonly #config: Config;
  readonly #fetch: ModelFetch;
  constructor(config: Config, fetch: ModelFetch) {
    this.#config = config;
    this.#fetch = fetch;
  }

  key(type: ModelProviderType): string | undefined {
    const key = this.#config.secret(`providers.${type}.apiKey`);
    // Other characters are not valid in a header, and the error would contain the key.
    return key !== undefined && /^[\x21-\x7e]+$/.test(key) ? key : undefined;
  }

  isEnabled(type: ModelProviderType): boolean {
    return this.#config.get(`providers.${type}.enabled`);
  }

  /** The missing setting, as the end of a sentence; undefined when the provider is configured. */
  missing(type: ModelProviderType): string | undefined {
    if (modelProviders[type].needsKey && this.key(type) === undefined) return 'it needs a key';
    const hasUrl = this.#config.get(`providers.${type}.baseUrl`) !== undefined;
    if (type === 'azure' && !hasUrl && this.#config.get('providers.azure.resourceName') === undefined)
      return 'it needs a resource name';
    // Ollama may not run on this machine, so it needs an explicit URL.
    if (type === 'ollama' && !hasUrl) return 'it needs a base URL';
    return undefined;
  }

  /** The providers that are configured and enabled. */
  usable(): ModelProviderType[] {
    return providerTypes.filter((type) => this.isEnabled(type) && this.missing(type) === undefined);
  }

  /** The base URL of the provider; undefined while Azure has no resource. */
  baseUrl(type: ModelProviderType): string | undefined {
    const setting = this.#config.get(`providers.${type}.baseUrl`);
    const configured = setting === undefined ? undefined : trimSlashes(setting);
    if (type === 'azure') return configured === undefined ? this.#azureUrl() : azureBase(configured);
    // People set the address with or without the path of the OpenAI API.
    if (type === 'ollama') return (configured ?? modelProviders.ollama.baseUrl)?.replace(/\/v1$/, '');
    return configured ?? modelProviders[type].baseUrl;
  }

  /** Returns the connection; throws an `AppError` with a hint where the provider is not usable. */
  of(type: ModelProviderType): Connection {
    const missing = this.missing(type);
    const command = `svc providers configure ${type}`;
    if (missing !== undefined)
      throw new AppError('unavailable', `${type} is not configured: ${missing}. ${command}`);
    if (!this.isEnabled(type))
      throw new AppError(
        'unavailable',
        `${providerNames[type]} is disabled. Enable it: svc providers configure ${type} --enable`,
      );
    const apiVersion = type === 'azure' ? this.#config.get('providers.azure.apiVersion') : undefined;
    const path = type === 'azure' && !isDated(apiVersion) ? '/v1' : '';
    const baseUrl = `${this.baseUrl(type) ?? ''}${path}`;
    const vendors = modelProviders[type].baseUrl;
    return {
      apiKey: this.key(type) ?? '',
      baseUrl,
      isVendorUrl: vendors !== undefined && originOf(vendors) === originOf(baseUrl),
      apiVersion,
      fetch: this.#fetch,
    };
  }

  #azureUrl(): string | undefined {
    const resource = this.#config.get('providers.azure.resourceName');
    return resource && `https://${resource}.openai.azure.com/openai`;
  }
}

/** The Azure portal shows the address with or without the path of the API. */
const azureBase = (url: string) => {
  const base = url.replace(/\/v1$/, '');
  return new URL(base).pathname === '/' ? `${base}/openai` : base;
};

export const originOf = (url: string | undefined): string | undefined => url && URL.parse(url)?.origin;

/** The origins that an administrator configured; they may be on this machine. */
export const configuredOrigins = (config: Config): ReadonlySet<string> =>
  new Set(
    providerTypes.flatMap((type) => {
      const url = config.get(`providers.${type}.baseUrl`);
      return url === undefined ? [] : new URL(url).origin;
    }),
  );
