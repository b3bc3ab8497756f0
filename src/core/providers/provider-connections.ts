import { isBuiltIn, type ProviderName } from '../../contract/providers.ts';
import { trimSlashes } from '../../contract/trim-slashes.ts';
import type { Config } from '../config/config.ts';
import { displayName } from '../config/provider-settings.ts';
import type { ModelFetch } from '../outbound/model-fetch.ts';
import { type Connection, isDated } from './model-provider.ts';
import { notConfigured } from './not-configured.ts';
import { definitionOf, modelProviders, providerTypes } from './provider-list.ts';
import { unknownProvider } from './unknown-provider.ts';

/** The names of the built-in providers and of these servers. */
export const providerNames = (servers: object): ProviderName[] => [...providerTypes, ...Object.keys(servers)];

/** Resolves the connection to each provider from the current settings. */
export class ProviderConnections {
  readonly #config: Config;
  readonly #fetch: ModelFetch;
  readonly #connections: () => Map<ProviderName, Connection>;
  /** The providers that are configured and enabled; looked up for each task. */
  readonly usable: () => readonly ProviderName[];
  constructor(config: Config, fetch: ModelFetch) {
    this.#config = config;
    this.#fetch = fetch;
    this.#connections = config.derive(() => new Map());
    this.usable = config.derive(() =>
      this.names().filter((name) => this.isEnabled(name) && this.missing(name) === undefined),
    );
  }

  /** The built-in providers and the servers. */
  names(): ProviderName[] {
    return providerNames(this.#config.get('providers.servers'));
  }

  /** Throws where no provider has this name. */
  require(name: ProviderName, code?: 'validation' | 'not_found'): void {
    if (!this.names().includes(name)) throw unknownProvider(name, this.names(), code && { code });
  }

  key(name: ProviderName): string | undefined {
    const key = isBuiltIn(name)
      ? this.#config.secret(`providers.${name}.apiKey`)
      : this.#config.opened('providers.servers')[name]?.apiKey;
    // Other characters are not valid in a header, and the error would contain the key.
    return key !== undefined && /^[\x21-\x7e]+$/.test(key) ? key : undefined;
  }

  isEnabled(name: ProviderName): boolean {
    return this.#setting(name, 'enabled') ?? false;
  }

  /** The default model that is set for the provider. */
  defaultModel(name: ProviderName): string | undefined {
    return this.#setting(name, 'defaultModel');
  }

  /** The missing setting, as the end of a sentence; undefined when the provider is configured. */
  missing(name: ProviderName): string | undefined {
    if (definitionOf(name).needsKey && this.key(name) === undefined) return 'it needs a key';
    const hasUrl = this.#setting(name, 'baseUrl') !== undefined;
    if (name === 'azure' && !hasUrl && this.#config.get('providers.azure.resourceName') === undefined)
      return 'it needs a resource name';
    // Ollama may not run on this machine, so it needs an explicit URL.
    if (name === 'ollama' && !hasUrl) return 'it needs a base URL';
    return undefined;
  }

  /** The base URL of the provider; undefined while Azure has no resource. */
  baseUrl(name: ProviderName): string | undefined {
    const setting = this.#setting(name, 'baseUrl');
    const configured = setting === undefined ? undefined : trimSlashes(setting);
    if (name === 'azure') return configured === undefined ? this.#azureUrl() : azureBase(configured);
    // People set the address with or without the path of the OpenAI API.
    if (name === 'ollama') return (configured ?? modelProviders.ollama.baseUrl)?.replace(/\/v1$/, '');
    if (!isBuiltIn(name)) return configured && serverBase(configured);
    return configured ?? modelProviders[name].baseUrl;
  }

  /** Returns the connection, the same until a setting changes; throws an `AppError` with a hint where the provider is not usable. */
  of(name: ProviderName): Connection {
    const connections = this.#connections();
    let connection = connections.get(name);
    if (!connection) connections.set(name, (connection = this.#connect(name)));
    return connection;
  }

  #connect(name: ProviderName): Connection {
    this.require(name);
    const missing = this.missing(name);
    if (missing !== undefined)
      throw notConfigured(
        `${name} is not configured: ${missing}. Configure it: svc providers configure ${name}`,
      );
    if (!this.isEnabled(name))
      throw notConfigured(
        `${displayName(name)} is disabled. Enable it: svc providers configure ${name} --enable`,
      );
    const apiVersion = name === 'azure' ? this.#config.get('providers.azure.apiVersion') : undefined;
    const path = name === 'azure' && !isDated(apiVersion) ? '/v1' : '';
    const baseUrl = `${this.baseUrl(name) ?? ''}${path}`;
    const vendors = definitionOf(name).baseUrl;
    return {
      apiKey: this.key(name) ?? '',
      baseUrl,
      isVendorUrl: vendors !== undefined && originOf(vendors) === originOf(baseUrl),
      apiVersion,
      fetch: this.#fetch,
    };
  }

  #setting<F extends 'baseUrl' | 'defaultModel' | 'enabled'>(name: ProviderName, field: F) {
    return isBuiltIn(name)
      ? this.#config.get(`providers.${name}.${field}`)
      : this.#config.get('providers.servers')[name]?.[field];
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

/** An address without a path is that of the server; its API is at the usual path. */
const serverBase = (url: string) => (new URL(url).pathname === '/' ? `${url}/v1` : url);

export const originOf = (url: string | undefined): string | undefined => url && URL.parse(url)?.origin;

/** The base URLs in the settings. */
export const configuredUrls = (config: Config): { provider: ProviderName; url: string }[] => [
  ...providerTypes.flatMap((provider) => {
    const url = config.get(`providers.${provider}.baseUrl`);
    return url === undefined ? [] : [{ provider, url }];
  }),
  ...Object.entries(config.get('providers.servers')).map(([provider, { baseUrl: url }]) => ({
    provider,
    url,
  })),
];

/** The origins that an administrator configured; they may be on this machine. */
export const configuredOrigins = (config: Config): ReadonlySet<string> =>
  new Set(configuredUrls(config).map(({ url }) => new URL(url).origin));
