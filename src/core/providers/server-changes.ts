import type { AddProvider, ConfigureModelProvider, ProviderName } from '../../contract/providers.ts';
import type { Config } from '../config/config.ts';
import type { ServerSettings } from '../config/provider-settings.ts';
import { requireWritable } from '../config/require-writable.ts';
import { AppError } from '../errors.ts';
import { originOf } from './provider-connections.ts';

const KEY = 'providers.servers';

/** Adds, changes and removes the OpenAI-compatible servers of the settings. */
export class ServerChanges {
  readonly #config: Config;
  /** Throws where requests to a base URL would be refused. */
  readonly #requireAllowed: (url: string) => void;
  constructor(config: Config, requireAllowed: (url: string) => void) {
    this.#config = config;
    this.#requireAllowed = requireAllowed;
  }

  /** Throws where the server cannot be added. */
  requireNew({ name, baseUrl }: AddProvider): void {
    requireWritable(this.#config, KEY);
    this.#requireAllowed(baseUrl);
    if (Object.hasOwn(this.#config.get(KEY), name))
      throw new AppError(
        'wrong_state',
        `There is a provider "${name}" already. Change it: svc providers configure ${name}`,
      );
  }

  add({ name, baseUrl, apiKey, defaultModel }: AddProvider, author: string | undefined): Promise<void> {
    return this.#write(name, { baseUrl, apiKey, defaultModel, enabled: true }, author);
  }

  /** The server after a change; its key is never sent to another origin than the one it was set for. */
  changed(name: ProviderName, change: ConfigureModelProvider): ServerSettings {
    requireWritable(this.#config, KEY);
    const before = this.#config.opened(KEY)[name];
    if (!before) throw new AppError('not_found', `There is no model provider "${name}"`);
    if (change.baseUrl === null)
      throw new AppError('validation', `${name} needs a base URL. Remove it: svc providers rm ${name}`);
    if (change.resourceName !== undefined || change.apiVersion !== undefined)
      throw new AppError('validation', 'Only azure has a resourceName and an apiVersion');
    const baseUrl = change.baseUrl ?? before.baseUrl;
    if (change.baseUrl !== undefined) this.#requireAllowed(baseUrl);
    const isMoved = originOf(baseUrl) !== originOf(before.baseUrl);
    const valueOf = (field: 'apiKey' | 'defaultModel', kept: string | undefined) =>
      change[field] === undefined ? kept : (change[field] ?? undefined);
    return {
      baseUrl,
      apiKey: valueOf('apiKey', isMoved ? undefined : before.apiKey),
      defaultModel: valueOf('defaultModel', before.defaultModel),
      enabled: change.enabled ?? before.enabled,
    };
  }

  async configure(
    name: ProviderName,
    change: ConfigureModelProvider,
    author: string | undefined,
  ): Promise<void> {
    await this.#write(name, this.changed(name, change), author);
  }

  remove(name: ProviderName, author: string | undefined): Promise<void> {
    return this.#write(name, undefined, author);
  }

  async #write(
    name: ProviderName,
    server: ServerSettings | undefined,
    author: string | undefined,
  ): Promise<void> {
    const { [name]: _, ...others } = this.#config.opened(KEY);
    await this.#config.set(KEY, server ? { ...others, [name]: server } : others, author);
  }
}
