import type { ConfigureWebSearch } from '../../contract/integrations.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Changer } from '../providers/audit-change.ts';
import type { Config } from '../config/config.ts';
import { requireWritable } from '../config/require-writable.ts';
import type { SettingKey } from '../config/settings.ts';
import type { Database } from '../storage/database.ts';
import { searchProviderIds } from './search-provider-list.ts';

export interface ConfigureWebSearchDeps {
  config: Config;
  database: Database;
  audit: AuditLog;
}

/** Updates the settings of web search: all of them, or none if one cannot be changed. */
export async function configureWebSearch(
  { config, database, audit }: ConfigureWebSearchDeps,
  patch: ConfigureWebSearch,
  { userId, address }: Changer,
): Promise<void> {
  const values = valuesOf(patch);
  await config.refresh();
  for (const [key, value] of values)
    for (const each of [key, ...config.forgottenBy(key, value)]) requireWritable(config, each);
  if (values.length === 0) return;
  const changed = values.map(([key]) => key.replace('integrations.webSearch.', ''));
  await database.write((transaction) =>
    audit.append(transaction, {
      kind: 'security',
      tool: 'web_search.configure',
      userId,
      address,
      arguments: { changed },
      result: 'ok',
    }),
  );
  for (const [key, value] of values) await config.set(key, value, userId);
}

/** Base URLs come first: changing one removes the stored key, unless the patch sets a new key after it. */
function valuesOf(patch: ConfigureWebSearch): [SettingKey, unknown][] {
  const values: [SettingKey, unknown][] = searchProviderIds.flatMap((id) =>
    (['baseUrl', 'apiKey'] as const).map((field): [SettingKey, unknown] => [
      `integrations.webSearch.${id}.${field}`,
      patch[id]?.[field],
    ]),
  );
  const general: [SettingKey, unknown][] = [
    ['integrations.webSearch.provider', patch.provider],
    ['integrations.webSearch.enabled', patch.enabled],
  ];
  return [...values, ...general].filter(([, value]) => value !== undefined);
}
