import { useQuery } from '@tanstack/react-query';
import { Items } from '../../../components/items.tsx';
import { configQuery } from '../../../queries/config.ts';
import { Read } from '../read.tsx';
import { SettingItem } from './setting-item.tsx';

/** Some settings of the daemon: each with its value, where it comes from, and a field to change it. */
export function SettingItems({ label, keys }: { label: string; keys: readonly string[] }) {
  const config = useQuery(configQuery);
  return (
    <Read query={config} rows={keys.length}>
      {(settings) => (
        <Items label={label}>
          {keys.map((key) => settings[key] && <SettingItem key={key} setting={settings[key]} />)}
        </Items>
      )}
    </Read>
  );
}
