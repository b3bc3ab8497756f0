import {
  type AddProvider,
  type ConfigureModelProvider,
  isBuiltIn,
  type ModelProviderType,
  type ProviderName,
} from '../../contract/providers.ts';
import type { Setting } from '../../contract/config.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { serversSchema } from '../config/provider-settings.ts';
import { requireWritable } from '../config/require-writable.ts';
import type { SettingKey } from '../config/settings.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { problemOfModelUrl } from '../outbound/model-fetch.ts';
import { auditChange, type Changer } from './audit-change.ts';
import { originOf, type ProviderConnections, providerNames } from './provider-connections.ts';
import { modelProviders, providerTypes } from './provider-list.ts';
import { ServerChanges } from './server-changes.ts';
import { unknownProvider } from './unknown-provider.ts';

export interface ProviderChangesDeps {
  config: Config;
  connections: ProviderConnections;
  database: Database;
  audit: AuditLog;
}

/** Changes the settings of providers; a key is never sent to another origin than the one it was set for. */
export class ProviderChanges {
  readonly #deps: ProviderChangesDeps;
  readonly #servers: ServerChanges;
  constructor(deps: ProviderChangesDeps) {
    this.#deps = deps;
    this.#servers = new ServerChanges(deps.config, (url) =>
      this.#requireAllowedUrl(url, 'baseUrl', 'baseUrl'),
    );
    deps.config.setRule('chat.defaultProvider', (name, beside) => {
      const names = providerNames(beside('providers.servers'));
      return name === undefined || names.includes(name) ? undefined : unknownProvider(name, names).message;
    });
  }

  /** Adds a server, which can be used at once. */
  async add(input: AddProvider, changer: Changer): Promise<void> {
    const { config } = this.#deps;
    await config.refresh();
    this.#servers.requireNew(input);
    if (input.default) this.#requireDefaultWritable();
    await auditChange(this.#deps, changer, 'provider.add', { provider: input.name, baseUrl: input.baseUrl });
    await this.#servers.add(input, changer.userId);
    if (!input.default) return;
    await config.set('chat.defaultProvider', input.name, changer.userId);
    await config.set('chat.defaultModel', null, changer.userId);
  }

  /** Removes a server; where it is the default provider, the default is the first usable one again. */
  async remove(name: ProviderName, changer: Changer): Promise<void> {
    const { config } = this.#deps;
    await config.refresh();
    requireWritable(config, 'providers.servers');
    const isDefault = config.get('chat.defaultProvider') === name;
    if (isDefault) this.#requireDefaultWritable();
    await auditChange(this.#deps, changer, 'provider.remove', { provider: name });
    if (isDefault) {
      await config.set('chat.defaultProvider', null, changer.userId);
      await config.set('chat.defaultModel', null, changer.userId);
    }
    await this.#servers.remove(name, changer.userId);
  }

  async configure(name: ProviderName, change: ConfigureModelProvider, changer: Changer): Promise<void> {
    await this.#deps.config.refresh();
    this.#deps.connections.require(name);
    if (isBuiltIn(name)) return this.#configureBuiltIn(name, change, changer);
    this.#servers.changed(name, change);
    await auditChange(this.#deps, changer, 'provider.configure', {
      provider: name,
      changed: Object.keys(change),
    });
    await this.#servers.configure(name, change, changer.userId);
  }

  async #configureBuiltIn(type: ModelProviderType, change: ConfigureModelProvider, changer: Changer) {
    const { config } = this.#deps;
    const patch = { ...change };
    // Configuring Ollama without a URL enables it at its default address.
    if (type === 'ollama' && !('baseUrl' in patch) && config.get('providers.ollama.baseUrl') === undefined)
      patch.baseUrl = modelProviders.ollama.baseUrl ?? null;
    const values = valuesOf(type, patch);
    for (const [key, value] of values) {
      requireWritable(config, key);
      this.#requireAllowed(key, value, 'baseUrl');
    }
    if (patch.apiKey === undefined && this.#changesOrigin(values))
      requireWritable(config, `providers.${type}.apiKey`);
    await auditChange(this.#deps, changer, 'provider.configure', {
      provider: type,
      changed: Object.keys(patch),
    });
    for (const [key, value] of values) await this.set(key, value, changer.userId);
  }

  async setDefault(type: ProviderName, model: string | undefined, changer: Changer): Promise<void> {
    await this.#deps.config.refresh();
    this.#requireDefaultWritable();
    await auditChange(this.#deps, changer, 'provider.set_default', { provider: type, model: model ?? null });
    await this.set('chat.defaultProvider', type, changer.userId);
    await this.set('chat.defaultModel', model ?? null, changer.userId);
  }

  /** Writes one setting; deletes the key first where it would be sent to another origin. */
  async set(key: string, value: unknown, author: string | undefined): Promise<Setting> {
    const { config, connections } = this.#deps;
    this.#requireAllowed(key, value, key);
    if (key === 'providers.servers') return this.#setServers(value, author);
    const type = providerTypes.find((each) => isUrlSetting(each, key));
    if (!type) return config.set(key, value, author);
    const keyName = `providers.${type}.apiKey` as const;
    if (connections.key(type) === undefined || !this.#changesOrigin([[key, value]]))
      return config.set(key, value, author);
    requireWritable(config, keyName);
    const previous = config.secret(keyName);
    await config.set(keyName, null, author);
    try {
      return await config.set(key, value, author);
    } catch (error) {
      // The origin did not change.
      if (previous !== undefined) await config.set(keyName, previous, author);
      throw error;
    }
  }

  /** All servers at once, as `svc config set` gives them. */
  #setServers(value: unknown, author: string | undefined): Promise<Setting> {
    const { config } = this.#deps;
    const servers = value === null ? {} : (safeParse(serversSchema, value).data ?? {});
    for (const [name, { baseUrl }] of Object.entries(servers))
      this.#requireAllowedUrl(baseUrl, `providers.servers.${name}.baseUrl`, 'providers.servers');
    const fallback = config.get('chat.defaultProvider');
    if (fallback !== undefined && !isBuiltIn(fallback) && !Object.hasOwn(servers, fallback))
      throw new AppError(
        'wrong_state',
        `${fallback} is the default provider. Choose another first: svc providers default PROVIDER`,
      );
    return config.set('providers.servers', value, author);
  }

  #requireDefaultWritable(): void {
    requireWritable(this.#deps.config, 'chat.defaultProvider');
    requireWritable(this.#deps.config, 'chat.defaultModel');
  }

  /** Whether the values change the origin of a provider. */
  #changesOrigin(values: [key: string, value: unknown][]): boolean {
    return values.some(([key, value]) => {
      const type = providerTypes.find((each) => isUrlSetting(each, key));
      if (!type) return false;
      if (key.endsWith('.resourceName'))
        return value !== this.#deps.config.get('providers.azure.resourceName');
      const fallback = modelProviders[type].baseUrl;
      const next = typeof value === 'string' ? value : fallback;
      return originOf(next) !== originOf(this.#deps.connections.baseUrl(type));
    });
  }

  /** Throws where requests to the base URL would be refused; `path` names it in the error. */
  #requireAllowed(key: string, value: unknown, path: string): void {
    if (typeof value === 'string' && providerTypes.some((type) => key === `providers.${type}.baseUrl`))
      this.#requireAllowedUrl(value, key, path);
  }

  #requireAllowedUrl(url: string, key: string, path: string): void {
    const problem = problemOfModelUrl(url, this.#deps.config.get('outbound.allowPrivate'));
    if (problem === undefined) return;
    throw new AppError('validation', `${key}: ${problem}`, { details: [{ path, message: problem }] });
  }
}

const isUrlSetting = (type: ModelProviderType, key: string) =>
  key === `providers.${type}.baseUrl` || (type === 'azure' && key === 'providers.azure.resourceName');

/** The settings of a change, URLs first: a change of origin deletes the key before a new one is set. */
function valuesOf(type: ModelProviderType, change: ConfigureModelProvider): [SettingKey, unknown][] {
  const azure = type === 'azure' ? (['resourceName', 'apiVersion'] as const) : [];
  if (type !== 'azure' && (change.resourceName !== undefined || change.apiVersion !== undefined))
    throw new AppError('validation', 'Only azure has a resourceName and an apiVersion');
  return [...azure, ...(['baseUrl', 'apiKey', 'defaultModel', 'enabled'] as const)].flatMap((field) =>
    change[field] === undefined ? [] : [[`providers.${type}.${field}` as SettingKey, change[field]]],
  );
}
