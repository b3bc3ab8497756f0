import { useQuery } from '@tanstack/react-query';
import { Items } from '../../../components/items.tsx';
import { clusterQuery } from '../../../queries/cluster.ts';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { DaemonItem } from './daemon-item.tsx';

/** The daemons that run tasks, and what each of them does. */
export function DaemonsSection() {
  const cluster = useQuery(clusterQuery);
  const isAlone = cluster.data?.mode === 'mini';
  return (
    <SettingsGroup
      title="Daemons"
      hint={
        isAlone
          ? 'This daemon is alone. In mode pro, several share a database and their tasks.'
          : 'They share a database and their tasks. A task that needs a label runs only on a daemon that has it.'
      }
    >
      <Read query={cluster} rows={2}>
        {({ daemons, answeredBy }) => (
          <Items label="Daemons">
            {daemons.map((daemon) => (
              <DaemonItem
                key={daemon.id}
                daemon={daemon}
                isThis={daemon.id === answeredBy && daemons.length > 1}
                isAlone={isAlone}
              />
            ))}
          </Items>
        )}
      </Read>
    </SettingsGroup>
  );
}
