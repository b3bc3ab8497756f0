import type { Setting } from '../../contract/config.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import type { ClientInfo } from '../auth/session-service.ts';
import type { EventBus } from '../events.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Database } from '../storage/database.ts';

export interface SettingServiceDeps {
  database: Database;
  audit: AuditLog;
  bus: EventBus;
  modelProviders: Pick<ModelProviders, 'setSetting'>;
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
    for (const listener of this.#listeners) await listener(setting.key);
    // Only now an agent that was added is there.
    if (setting.key.startsWith('agents.')) this.#deps.bus.emit('agents_changed', undefined);
    return setting;
  }

  /** Writes a setting and its audit entry, and notifies no one. */
  async write(caller: Caller, key: string, value: unknown, address?: string): Promise<Setting> {
    const { database, audit, modelProviders } = this.#deps;
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
