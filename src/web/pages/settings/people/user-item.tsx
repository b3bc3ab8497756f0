import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { Account, UpdateAccount } from '../../../../contract/users.ts';
import { client } from '../../../client.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Item } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { Ago } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { usersQuery } from '../../../queries/people.ts';
import { queryClient } from '../../../queries/query-client.ts';

/** A person with their role; nobody changes their own rights here. */
export function UserItem({ user, isMe }: { user: Account; isMe: boolean }) {
  const { id, name, email, role, disabled, isOwner, createdAt } = user;
  const [asked, setAsked] = useState<'role' | 'disable'>();
  const isAway = useAway();
  const shown = escapeLine(name);
  const update = async (body: UpdateAccount) => {
    await client.users.update({ params: { id }, body });
    await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
  };
  const ask = (what: 'role' | 'disable', verb: string, label: string) => (
    <button
      type="button"
      className="button"
      aria-label={label}
      disabled={isAway}
      onClick={() => setAsked(what)}
    >
      {verb}
    </button>
  );
  const close = () => setAsked(undefined);
  return (
    <Item
      title={shown}
      badge={
        <>
          <span className="muted">
            {role}
            {isMe && ' · you'}
            {isOwner && ' · owner of this machine'}
          </span>
          {disabled && <StateBadge tone="bad">disabled</StateBadge>}
        </>
      }
      note={
        <>
          {escapeLine(email)}
          {' · joined '}
          <Ago at={createdAt} />
        </>
      }
      actions={
        !isMe && (
          <>
            {role === 'admin' ? (
              <ActButton label={`Make ${shown} a user`} run={() => update({ role: 'user' })}>
                Make user
              </ActButton>
            ) : (
              ask('role', 'Make admin', `Make ${shown} an administrator`)
            )}
            {disabled ? (
              <ActButton label={`Enable ${shown}`} run={() => update({ disabled: false })}>
                Enable
              </ActButton>
            ) : (
              ask('disable', 'Disable', `Disable ${shown}`)
            )}
          </>
        )
      }
    >
      {asked === 'role' && (
        <ConfirmDialog
          title={`Make ${shown} an administrator?`}
          verb="Make administrator"
          run={() => update({ role: 'admin' })}
          onClose={close}
        >
          <p>
            Administrators see the work of everyone, run commands on this machine and change every setting.
          </p>
        </ConfirmDialog>
      )}
      {asked === 'disable' && (
        <ConfirmDialog
          title={`Disable ${shown}?`}
          verb="Disable"
          run={() => update({ disabled: true })}
          onClose={close}
        >
          <p>They are signed out everywhere and their tokens stop working, until you enable them again.</p>
        </ConfirmDialog>
      )}
    </Item>
  );
}
