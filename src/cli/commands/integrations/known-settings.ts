import { ApiError, type Client } from '../../../contract/client.ts';
import type { Setting } from '../../../contract/config.ts';
import type { ProviderName } from '../../../contract/oauth.ts';

/** The settings by their names; undefined for who may not see them. */
export async function knownSettings({ config }: Client): Promise<Map<string, Setting> | undefined> {
  try {
    const { settings } = await config.list();
    return new Map(settings.map((setting) => [setting.key, setting]));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** The commands that say who the daemon is at a vendor, as far as that is not set. */
export function missingApp(settings: Map<string, Setting>, provider: ProviderName): string[] {
  const commands = { clientId: ' ID', clientSecret: '' };
  return Object.entries(commands).flatMap(([name, value]) => {
    const key = `integrations.${provider}.${name}`;
    return settings.get(key)?.value ? [] : [`svc config set ${key}${value}`];
  });
}

/** Where others reach the daemon, perhaps after a restart; undefined where nobody said. */
export function baseUrlOf(settings: Map<string, Setting> | undefined): string | undefined {
  const { value, pending = value } = settings?.get('server.baseUrl') ?? {};
  return typeof pending === 'string' ? pending.replace(/\/+$/, '') : undefined;
}
