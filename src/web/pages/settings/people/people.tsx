import { useQuery } from '@tanstack/react-query';
import { Items } from '../../../components/items.tsx';
import { sessionQuery } from '../../../queries/session.ts';
import { usersQuery } from '../../../queries/people.ts';
import { SettingItems } from '../configuration/setting-items.tsx';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { Invites } from './invites.tsx';
import { UserItem } from './user-item.tsx';

/** Who may use this daemon, and who is invited to. */
export function PeopleSection() {
  const users = useQuery(usersQuery);
  const { data: session } = useQuery(sessionQuery);
  const me = session?.authenticated ? session.user.id : undefined;
  return (
    <>
      <SettingsGroup
        title="People"
        hint="Administrators see everything and change the daemon. A person who is disabled is signed out everywhere, and their tokens stop working."
      >
        <Read query={users} rows={3}>
          {(list) => (
            <Items label="People">
              {list.map((user) => (
                <UserItem key={user.id} user={user} isMe={user.id === me} />
              ))}
            </Items>
          )}
        </Read>
      </SettingsGroup>
      <Invites />
      <SettingsGroup title="Sign-up">
        <SettingItems label="Sign-up" keys={['system.registrationMode', 'system.authMode']} />
      </SettingsGroup>
    </>
  );
}
