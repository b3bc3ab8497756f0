import { useState } from 'react';
import type { ClusterDaemon } from '../../../../contract/cluster.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { client } from '../../../client.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Item } from '../../../components/items.tsx';
import { StateBadge, type Tone } from '../../../components/state-badge.tsx';
import { Ago } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { clusterQuery } from '../../../queries/cluster.ts';
import { queryClient } from '../../../queries/query-client.ts';

const tones: Record<ClusterDaemon['state'], Tone> = { ready: 'good', draining: 'calm', silent: 'bad' };
const roles: Record<ClusterDaemon['role'], string> = {
  all: 'runs tasks and serves requests',
  worker: 'runs tasks only',
  api: 'serves requests only',
};

/** A daemon with what it runs, what it has for tasks, and the way to take it out of service. */
export function DaemonItem({
  daemon,
  isThis,
  isAlone,
}: {
  daemon: ClusterDaemon;
  /** Whether this page comes from it. */
  isThis: boolean;
  /** Whether no other daemon could take its tasks. */
  isAlone: boolean;
}) {
  const { id, state, drained, running, slots, role, version, labels, agents } = daemon;
  const name = escapeLine(daemon.name);
  const host = escapeLine(daemon.host);
  return (
    <Item
      title={name}
      badge={
        <>
          <StateBadge tone={tones[state]}>{state === 'draining' && drained ? 'drained' : state}</StateBadge>
          {isThis && <small className="muted">sent this page</small>}
        </>
      }
      note={
        <>
          {role !== 'api' && `Running ${running} of ${slots} · `}
          {roles[role]}
          <p>
            {host !== name && `on ${host} · `}svc {version} · since <Ago at={daemon.startedAt} />
            {state === 'silent' && (
              <>
                {' '}
                · last seen <Ago at={daemon.lastSeenAt} />
              </>
            )}{' '}
            · <code>{id}</code>
          </p>
          {labels.length > 0 && <p>Labels: {labels.map(escapeLine).join(', ')}</p>}
          {agents.length > 0 && <p>Agents: {agents.map(escapeLine).join(', ')}</p>}
        </>
      }
      actions={!isAlone && state !== 'silent' && <Service daemon={daemon} name={name} />}
    />
  );
}

/** Takes it out of service, or back. */
function Service({ daemon: { id, state }, name }: { daemon: ClusterDaemon; name: string }) {
  const isAway = useAway();
  const [isAsked, setAsked] = useState(false);
  const readAgain = () => queryClient.invalidateQueries({ queryKey: clusterQuery.queryKey });
  if (state === 'draining')
    return (
      <ActButton
        label={`Resume ${name}`}
        run={async () => {
          await client.cluster.resume({ params: { id } });
          await readAgain();
        }}
      >
        Resume
      </ActButton>
    );
  return (
    <>
      <button
        type="button"
        className="button"
        aria-label={`Drain ${name}`}
        disabled={isAway}
        onClick={() => setAsked(true)}
      >
        Drain
      </button>
      {isAsked && (
        <ConfirmDialog
          title={`Drain ${name}?`}
          verb="Drain"
          run={async () => {
            await client.cluster.drain({ params: { id }, body: {} });
            await readAgain();
          }}
          onClose={() => setAsked(false)}
        >
          <p>It takes no more tasks, and finishes those that it runs. Resume makes it take tasks again.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
