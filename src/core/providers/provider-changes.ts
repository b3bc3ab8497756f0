import type { ConfigureModelProvider, ModelProviderType } from '../../contract/providers.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { requireWritable } from '../config/require-writable.ts';
import type { SettingKey } from '../config/settings.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { problemOfModelUrl } from '../outbound/model-fetch.ts';
import { originOf, type ProviderConnections } from './provider-connections.ts';
import { modelProviders, providerTypes } from './provider-list.ts';

/** The user and address of a change, for the audit log. */
export interface Changer {
  userId?: string | undefined;
  address?: string | undefined;
}

export interface ProviderChangesDeps {
  config: Config;
  connections: ProviderConnections;
  database: Database;
  audit: AuditLog;
}

/** Changes the settings of providers; a key is never sent to another origin than the one it was set for. */
export class ProviderChanges {
  readonly #deps: ProviderChangesDeps;
  constructor(deps: ProviderChangesDeps) {
    this.#deps = deps;
  }

  async configure(type: ModelProviderType, change: ConfigureModelProvider, changer: Changer): Promise<void> {
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
    await this.#audit(changer, 'provider.configure', { provider: type, changed: Object.keys(patch) });
    for (const [key, value] of values) this.set(key, value);
  }

  async setDefault(type: ModelProviderType, model: string | undefined, changer: Changer): Promise<void> {
    requireWritable(this.#deps.config, 'chat.defaultProvider');
    requireWritable(this.#deps.config, 'chat.defaultModel');
    await this.#audit(changer, 'provider.set_default', { provider: type, model: model ?? null });
    this.set('chat.defaultProvider', type);
    this.set('chat.defaultModel', model ?? null);
  }

  /** Writes one setting; deletes the key first where it would be sent to another origin. */
  set(key: string, value: unknown) {
    const { config, connections } = this.#deps;
    this.#requireAllowed(key, value, key);
    const type = providerTypes.find((each) => isUrlSetting(each, key));
    if (!type) return config.set(key, value);
    const keyName = `providers.${type}.apiKey` as const;
    if (connections.key(type) === undefined || !this.#changesOrigin([[key, value]]))
      return config.set(key, value);
    requireWritable(config, keyName);
    const previous = config.secret(keyName);
    config.set(keyName, null);
    try {
      return config.set(key, value);
    } catch (error) {
      // The origin did not change.
      if (previous !== undefined) config.set(keyName, previous);
      throw error;
    }
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
    if (typeof value !== 'string' || !providerTypes.some((type) => key === `providers.${type}.baseUrl`))
      return;
    const problem = problemOfModelUrl(value, this.#deps.config.get('outbound.allowPrivate'));
    if (problem === undefined) return;
    throw new AppError('validation', `${key}: ${problem}`, { details: [{ path, message: problem }] });
  }

  #audit({ userId, address }: Changer, tool: string, args: Record<string, unknown>): Promise<void> {
    return this.#deps.database.write((transaction) =>
      this.#deps.audit.append(transaction, {
        kind: 'security',
        tool,
        userId,
        address,
        arguments: args,
        result: 'ok',
      }),
    );
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
