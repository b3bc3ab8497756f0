import { escapeLine } from '../../../../contract/escape-text.ts';
import type { Session } from '../../../../contract/sessions.ts';
import { client } from '../../../client.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { Item } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { Ago } from '../../../components/time.tsx';
import { sessionsQuery } from '../../../queries/access.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { programOf } from './program-of.ts';

const kinds: Record<Session['kind'], string> = {
  'sign-in': 'Browser or terminal',
  owner: 'Command line on this machine',
  device: 'Paired device',
};

/** A session: with which program, from where and when. */
export function SessionItem({ session }: { session: Session }) {
  const { id, kind, current, createdAt, lastSeenAt, expiresAt, userAgent, address } = session;
  const program = (userAgent !== undefined && programOf(userAgent)) || kinds[kind] || kind;
  const name = escapeLine(kind === 'owner' ? kinds.owner : program);
  return (
    <Item
      title={name}
      badge={current && <StateBadge tone="good">this one</StateBadge>}
      note={
        <>
          {address !== undefined && `From ${escapeLine(address)} · `}last seen <Ago at={lastSeenAt} />
          {' · since '}
          <Ago at={createdAt} />
          {expiresAt !== undefined && (
            <>
              {' · ends '}
              <Ago at={expiresAt} />
            </>
          )}
        </>
      }
      actions={
        !current && (
          <ActButton
            label={`Sign out ${name}`}
            run={async () => {
              await client.sessions.revoke({ params: { id } });
              await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
            }}
          >
            Sign out
          </ActButton>
        )
      }
    />
  );
}
