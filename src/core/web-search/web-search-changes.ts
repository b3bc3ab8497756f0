import type { ConfigureWebSearch } from '../../contract/integrations.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Changer } from '../providers/provider-changes.ts';
import type { Config } from '../config/config.ts';
import { requireWritable } from '../config/require-writable.ts';
import type { SettingKey } from '../config/settings.ts';
import type { Database } from '../storage/database.ts';
import { searchProviderIds } from './search-provider-list.ts';

export interface WebSearchChangesDeps {
  config: Config;
  database: Database;
  audit: AuditLog;
}

/** Changes the settings of web search: all of them, or none where one cannot be changed. */
export async function configureWebSearch(
  { config, database, audit }: WebSearchChangesDeps,
  changes: ConfigureWebSearch,
  { userId, address }: Changer,
): Promise<void> {
  const values = valuesOf(changes);
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
  for (const [key, value] of values) config.set(key, value);
}

/** The places first: whatever moves takes the key with it, unless a new one comes. */
function valuesOf(changes: ConfigureWebSearch): [SettingKey, unknown][] {
  const values: [SettingKey, unknown][] = searchProviderIds.flatMap((id) =>
    (['baseUrl', 'apiKey'] as const).map((field): [SettingKey, unknown] => [
      `integrations.webSearch.${id}.${field}`,
      changes[id]?.[field],
    ]),
  );
  const own: [SettingKey, unknown][] = [
    ['integrations.webSearch.provider', changes.provider],
    ['integrations.webSearch.enabled', changes.enabled],
  ];
  return [...values, ...own].filter(([, value]) => value !== undefined);
}
