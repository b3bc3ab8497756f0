import type { Setting } from '../../contract/config.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import type { ClientInfo } from '../auth/session-service.ts';
import type { Config } from '../config/config.ts';
import type { EventBus } from '../events.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Database } from '../storage/database.ts';

export interface SettingServiceDeps {
  config: Pick<Config, 'refresh'>;
  database: Database;
  audit: AuditLog;
  bus: EventBus;
  modelProviders: Pick<ModelProviders, 'setSetting' | 'resetFor'>;
}
type Listener = (key: string) => Promise<void>;

/** Changes settings on behalf of a caller, with an audit entry for each. */
export class SettingService {
  readonly #deps: SettingServiceDeps;
  readonly #listeners: Listener[] = [];
  constructor(deps: SettingServiceDeps) {
    this.#deps = deps;
  }

  /** Calls the listener after each `change`, which waits for it. */
  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Writes a setting and notifies the features that work by it. */
  async change(caller: Caller, key: string, value: unknown, client: ClientInfo): Promise<Setting> {
    const setting = await this.write(caller, key, value, client.address);
    await this.announce([setting.key]);
    return setting;
  }

  /** Notifies the features that work by settings which have changed. */
  async announce(keys: readonly string[]): Promise<void> {
    for (const key of keys) for (const listener of this.#listeners) await listener(key);
    // Only now an agent that was added is there.
    if (keys.some((key) => key.startsWith('agents.'))) this.#deps.bus.emit('agents_changed', undefined);
  }

  /** Writes a setting and its audit entry, and notifies no one. */
  async write(caller: Caller, key: string, value: unknown, address?: string): Promise<Setting> {
    const { config, database, audit, modelProviders } = this.#deps;
    // What is replaced is what the caller sees, not what another daemon has replaced already.
    await config.refresh();
    const setting = await modelProviders.setSetting(key, value, caller.userId);
    await database.write((transaction) =>
      audit.append(transaction, {
        kind: 'security',
        tool: 'config.changed',
        userId: caller.userId,
        address,
        // Its new value may be a secret.
        arguments: { key: setting.key, ...(isWatched(setting.key) && { value: setting.value }) },
        result: 'ok',
      }),
    );
    return setting;
  }
}

/** A setting that says what a decision is worth: the log has to tell what it was at any time. */
const isWatched = (key: string): boolean => key === 'approvals.requireSignature';
