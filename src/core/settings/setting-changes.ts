import type { Setting } from '../../contract/config.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../auth/caller.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Database } from '../storage/database.ts';

export interface SettingChangesDeps {
  database: Database;
  audit: AuditLog;
  modelProviders: Pick<ModelProviders, 'setSetting'>;
}

/** Writes a setting in the name of a caller, and that they did. */
export const settingChanges =
  ({ database, audit, modelProviders }: SettingChangesDeps) =>
  async (caller: Caller, key: string, value: unknown, address?: string): Promise<Setting> => {
    const setting = modelProviders.setSetting(key, value);
    await database.write((transaction) =>
      audit.append(transaction, {
        kind: 'security',
        tool: 'config.changed',
        userId: caller.userId,
        address,
        // What it is now may be a secret.
        arguments: { key: setting.key },
        result: 'ok',
      }),
    );
    return setting;
  };
