import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Empty } from '../../../components/empty.tsx';
import { configQuery } from '../../../queries/config.ts';
import { SettingItems } from './setting-items.tsx';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { DaemonFacts } from './daemon-facts.tsx';
import { groups } from './setting-groups.ts';
import styles from '../settings.module.css';

const route = getRouteApi('/settings/configuration');
const matches = (text: string, q: string) => text.toLowerCase().includes(q.toLowerCase());

/** The daemon, and every one of its settings; a search looks through keys and descriptions. */
export function ConfigurationSection() {
  const { q = '' } = route.useSearch();
  const navigate = useNavigate();
  const config = useQuery(configQuery);
  const search = (next: string) =>
    void navigate({ to: '/settings/configuration', search: next === '' ? {} : { q: next }, replace: true });
  return (
    <>
      <SettingsGroup title="Daemon">
        <DaemonFacts />
      </SettingsGroup>
      <input
        type="search"
        className={styles['search']}
        aria-label="Search settings"
        placeholder="Search settings, such as retry or log"
        value={q}
        onChange={({ target }) => search(target.value)}
      />
      <Read query={config} rows={8}>
        {(settings) => {
          if (q === '')
            return groups.map(({ title, keys }) => (
              <SettingsGroup key={title} title={title}>
                <SettingItems label={title} keys={keys} />
              </SettingsGroup>
            ));
          const found = Object.values(settings).filter(
            ({ key, description }) => matches(key, q) || matches(description, q),
          );
          return (
            <SettingsGroup title="Settings found">
              {found.length === 0 ? (
                <Empty>No setting matches.</Empty>
              ) : (
                <SettingItems label="Settings found" keys={found.map(({ key }) => key)} />
              )}
            </SettingsGroup>
          );
        }}
      </Read>
    </>
  );
}
