import { ApiError, type Client } from '../../../contract/client.ts';
import type { Setting } from '../../../contract/config.ts';
import { trimSlashes } from '../../../contract/trim-slashes.ts';
import type { Vendor } from '../../../contract/vendors.ts';

/** The settings by key; undefined if the user may not read them. */
export async function knownSettings({ config }: Client): Promise<Map<string, Setting> | undefined> {
  try {
    const { settings } = await config.list();
    return new Map(settings.map((setting) => [setting.key, setting]));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** The commands that set the missing credentials of the OAuth app. */
export function missingApp(settings: Map<string, Setting>, vendor: Vendor): string[] {
  const commands = { clientId: ' ID', clientSecret: '' };
  return Object.entries(commands).flatMap(([name, value]) => {
    const key = `integrations.${vendor}.${name}`;
    return settings.get(key)?.value ? [] : [`svc config set ${key}${value}`];
  });
}

/** The public URL of the daemon, perhaps after a restart; undefined if it is not set. */
export function baseUrlOf(settings: Map<string, Setting> | undefined): string | undefined {
  const { value, pending = value } = settings?.get('server.baseUrl') ?? {};
  return typeof pending === 'string' ? trimSlashes(pending) : undefined;
}
