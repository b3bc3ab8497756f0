import { useQuery } from '@tanstack/react-query';
import type { PushSubscription } from '../../../../contract/push.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { client } from '../../../client.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { Item, Items } from '../../../components/items.tsx';
import { Ago } from '../../../components/time.tsx';
import { devicesQuery } from '../../../queries/devices.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { SettingsGroup } from '../settings-group.tsx';

/** Where else notifications arrive. */
export function OtherBrowsers({ subscriptions }: { subscriptions: readonly PushSubscription[] }) {
  const { data: devices = [] } = useQuery(devicesQuery);
  const nameOf = ({ deviceId, service }: PushSubscription) =>
    escapeLine(devices.find(({ id }) => id === deviceId)?.name ?? `Browser with ${service}`);
  return (
    <SettingsGroup title="On other devices" hint="Notifications end with the session of a browser.">
      <Items label="Other devices with notifications">
        {subscriptions.map((each) => {
          const { id, createdAt, lastSentAt, lastError } = each;
          const name = nameOf(each);
          return (
            <Item
              key={id}
              title={name}
              note={
                <>
                  Since <Ago at={createdAt} />
                  {lastSentAt && (
                    <>
                      {' · '}Last notification <Ago at={lastSentAt} />
                    </>
                  )}
                  {lastError && ` · Not delivered: ${escapeLine(lastError)}`}
                </>
              }
              actions={
                <ActButton
                  label={`Stop notifications on ${name}`}
                  run={async () => {
                    await client.push.unsubscribe({ params: { id } });
                    await queryClient.invalidateQueries({ queryKey: ['push'] });
                  }}
                >
                  Stop
                </ActButton>
              }
            />
          );
        })}
      </Items>
    </SettingsGroup>
  );
}
