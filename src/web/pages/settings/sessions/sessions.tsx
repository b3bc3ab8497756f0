import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../../../../contract/sessions.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { counted } from '../../../components/counted.ts';
import { Items } from '../../../components/items.tsx';
import { useAway } from '../../../live/use-away.ts';
import { sessionsQuery } from '../../../queries/access.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { SessionItem } from './session-item.tsx';
import styles from '../settings.module.css';

/** Where one is signed in. */
export function SessionsSection() {
  const sessions = useQuery(sessionsQuery);
  return (
    <SettingsGroup title="Sessions" hint="Where you are signed in. Sign out what you do not know.">
      <Read query={sessions} rows={3}>
        {(list) => (
          <>
            <Items label="Sessions">
              {list
                .toSorted((a, b) => Number(b.current) - Number(a.current))
                .map((session) => (
                  <SessionItem key={session.id} session={session} />
                ))}
            </Items>
            <SignOutOthers sessions={list} />
          </>
        )}
      </Read>
    </SettingsGroup>
  );
}

/** Signs out all browsers but this one; paired devices and the CLI of this machine keep their sessions. */
function SignOutOthers({ sessions }: { sessions: readonly Session[] }) {
  const isAway = useAway();
  const [isAsked, setAsked] = useState(false);
  const others = sessions.filter(({ current, kind }) => !current && kind === 'sign-in');
  if (others.length === 0 && !isAsked) return null;
  const run = async () => {
    try {
      for (const { id } of others) await client.sessions.revoke({ params: { id } });
    } finally {
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    }
  };
  return (
    <div className={styles['line']}>
      <button type="button" className="button danger" disabled={isAway} onClick={() => setAsked(true)}>
        Sign out all others
      </button>
      {isAsked && (
        <ConfirmDialog title="Sign out all others?" verb="Sign out" run={run} onClose={() => setAsked(false)}>
          <p>
            {counted(others.length, 'other session')} of browsers and terminals{' '}
            {others.length === 1 ? 'ends' : 'end'}. Paired devices and the command line on this machine stay
            signed in.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
