import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { Invite } from '../../../../contract/invites.ts';
import { Empty } from '../../../components/empty.tsx';
import { Item, Items } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { Ago, useNow } from '../../../components/time.tsx';
import { invitesQuery } from '../../../queries/people.ts';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { InviteForm } from './invite-form.tsx';
import { type NewInvite, NewInviteCode } from './new-invite-code.tsx';
import { RemoveInvite } from './remove-invite.tsx';

/** Who was invited, and another invite. */
export function Invites() {
  const invites = useQuery(invitesQuery);
  const [made, setMade] = useState<NewInvite>();
  return (
    <SettingsGroup title="Invites" hint="Each creates one account.">
      {made ? (
        <NewInviteCode made={made} onClose={() => setMade(undefined)} />
      ) : (
        <InviteForm onMade={setMade} />
      )}
      <Read query={invites} rows={2}>
        {(list) =>
          list.length === 0 ? (
            <Empty>There are no invites yet.</Empty>
          ) : (
            <Items label="Invites">
              {list.map((invite) => (
                <InviteItem key={invite.id} invite={invite} />
              ))}
            </Items>
          )
        }
      </Read>
    </SettingsGroup>
  );
}

function InviteItem({ invite: { id, role, email, createdAt, expiresAt, usedAt } }: { invite: Invite }) {
  const isOver = Date.parse(expiresAt) <= useNow(20_000);
  const name = email === undefined ? 'Anyone with the code' : escapeLine(email);
  return (
    <Item
      title={name}
      badge={
        <StateBadge tone={usedAt ? 'good' : 'calm'}>
          {usedAt ? 'used' : isOver ? 'expired' : 'open'}
        </StateBadge>
      }
      note={
        <>
          As {role} · created <Ago at={createdAt} />
          {usedAt ? (
            <>
              {' · used '}
              <Ago at={usedAt} />
            </>
          ) : (
            <>
              {isOver ? ' · expired ' : ' · expires '}
              <Ago at={expiresAt} />
            </>
          )}
        </>
      }
      actions={<RemoveInvite id={id} name={name} isOpen={!usedAt && !isOver} />}
    />
  );
}
