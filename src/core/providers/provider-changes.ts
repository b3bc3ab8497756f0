import type { ConfigureModelProvider, ModelProviderType } from '../../contract/providers.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { requireWritable } from '../config/require-writable.ts';
import type { SettingKey } from '../config/settings.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { originOf, type ProviderConnections } from './provider-connections.ts';
import { modelProviders, providerTypes } from './provider-list.ts';

/** Who changes something, and from where. */
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

/** Changes the settings of providers; a key never goes to an origin that it was not given for. */
export class ProviderChanges {
  readonly #deps: ProviderChangesDeps;
  constructor(deps: ProviderChangesDeps) {
    this.#deps = deps;
  }

  async configure(type: ModelProviderType, change: ConfigureModelProvider, changer: Changer): Promise<void> {
    const { config } = this.#deps;
    const wanted = { ...change };
    // To set it up at its usual address is to say that it is there.
    if (type === 'ollama' && !('baseUrl' in wanted) && config.get('providers.ollama.baseUrl') === undefined)
      wanted.baseUrl = modelProviders.ollama.baseUrl ?? null;
    const values = valuesOf(type, wanted);
    for (const [key] of values) requireWritable(config, key);
    if (wanted.apiKey === undefined && this.#moves(values))
      requireWritable(config, `providers.${type}.apiKey`);
    await this.#note(changer, 'provider.configure', { provider: type, changed: Object.keys(wanted) });
    for (const [key, value] of values) this.set(key, value);
  }

  async setDefault(type: ModelProviderType, model: string | undefined, changer: Changer): Promise<void> {
    requireWritable(this.#deps.config, 'chat.defaultProvider');
    requireWritable(this.#deps.config, 'chat.defaultModel');
    await this.#note(changer, 'provider.set_default', { provider: type, model: model ?? null });
    this.set('chat.defaultProvider', type);
    this.set('chat.defaultModel', model ?? null);
  }

  /** Writes one setting; the key is forgotten first where it would go to another origin. */
  set(key: string, value: unknown) {
    const { config, connections } = this.#deps;
    const type = providerTypes.find((each) => isPlace(each, key));
    if (!type) return config.set(key, value);
    const keyName = `providers.${type}.apiKey` as const;
    if (connections.key(type) === undefined || !this.#moves([[key, value]])) return config.set(key, value);
    requireWritable(config, keyName);
    const given = config.secret(keyName);
    config.set(keyName, null);
    try {
      return config.set(key, value);
    } catch (error) {
      // Nothing has moved.
      if (given !== undefined) config.set(keyName, given);
      throw error;
    }
  }

  /** Whether the values lead a provider to another origin. */
  #moves(values: [key: string, value: unknown][]): boolean {
    return values.some(([key, value]) => {
      const type = providerTypes.find((each) => isPlace(each, key));
      if (!type) return false;
      if (key.endsWith('.resourceName'))
        return value !== this.#deps.config.get('providers.azure.resourceName');
      const usual = modelProviders[type].baseUrl;
      const next = typeof value === 'string' ? value : usual;
      return originOf(next) !== originOf(this.#deps.connections.baseUrl(type));
    });
  }

  #note({ userId, address }: Changer, tool: string, args: Record<string, unknown>): Promise<void> {
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

const isPlace = (type: ModelProviderType, key: string) =>
  key === `providers.${type}.baseUrl` || (type === 'azure' && key === 'providers.azure.resourceName');

/** The places first: whatever moves takes the key with it, unless a new one comes. */
function valuesOf(type: ModelProviderType, change: ConfigureModelProvider): [SettingKey, unknown][] {
  const azure = type === 'azure' ? (['resourceName', 'apiVersion'] as const) : [];
  if (type !== 'azure' && (change.resourceName !== undefined || change.apiVersion !== undefined))
    throw new AppError('validation', 'Only azure has a resourceName and an apiVersion');
  return [...azure, ...(['baseUrl', 'apiKey', 'defaultModel', 'enabled'] as const)].flatMap((field) =>
    change[field] === undefined ? [] : [[`providers.${type}.${field}` as SettingKey, change[field]]],
  );
}
