import { queryOptions } from '@tanstack/react-query';
import type { Setting } from '../../contract/config.ts';
import { client } from '../client.ts';
import { queryClient } from './query-client.ts';

/** The settings of the daemon, by key; for administrators. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: async (): Promise<Record<string, Setting>> => {
    const { settings } = await client.config.list();
    return Object.fromEntries(settings.map((setting) => [setting.key, setting]));
  },
});

/** Changes a setting of the daemon; null takes it out of the settings file. */
export async function changeSetting(key: string, value: Setting['value']): Promise<void> {
  await client.config.update({ params: { key }, body: { value } });
  // A setting may concern anything that is shown.
  await queryClient.invalidateQueries();
}
