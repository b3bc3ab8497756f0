import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { PairingRequest } from '../../../../contract/pairing.ts';
import { client } from '../../../client.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Problem } from '../../../components/problem.tsx';
import { Ago } from '../../../components/time.tsx';
import { useSteady } from '../../../components/use-steady.ts';
import { pairingQuery } from '../../../queries/devices.ts';
import { queryClient } from '../../../queries/query-client.ts';
import styles from './devices.module.css';

/** Who asks with a code that is shown, as soon as somebody does, and the decision. */
export function WhoAsks({
  code,
  expiresAt,
  onNew,
  onDone,
  children,
}: {
  code: string;
  expiresAt: string;
  onNew: () => void;
  onDone: () => void;
  /** The code itself, until a device has used it. */
  children: ReactNode;
}) {
  const { data: request, error, refetch } = useQuery(pairingQuery(code, expiresAt));
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!request?.claimed)
    return (
      <>
        {children}
        <p className="muted" role="status">
          Waiting for a device to scan the code…
        </p>
      </>
    );
  if (request.status === 'pending') return <Ask key={request.version} code={code} request={request} />;
  const name = nameOf(request);
  return (
    <div className={`card ${styles['over']}`}>
      <p role="status">{request.status === 'approved' ? `${name} is paired.` : `${name} was rejected.`}</p>
      <button type="button" className="button primary" onClick={onDone}>
        Done
      </button>
      <button type="button" className="button" onClick={onNew}>
        Pair another
      </button>
    </div>
  );
}

function Ask({ code, request }: { code: string; request: PairingRequest }) {
  const { address, createdAt, fingerprint, version } = request;
  const name = nameOf(request);
  const platform = request.meta['platform'];
  const buttons = useRef<HTMLDivElement>(null);
  const isSteady = useSteady(buttons, version);
  const decide = async (work: () => Promise<unknown>) => {
    if (!isSteady()) return;
    await work();
    await queryClient.invalidateQueries({ queryKey: ['devices'] });
  };
  return (
    <section className={`card ${styles['ask']}`} aria-labelledby="who-asks">
      <h3 id="who-asks">
        <Icon name="smartphone" /> <span role="status">{name} asks to be paired</span>
      </h3>
      <Facts
        facts={[
          ['Name', name],
          ['Platform', typeof platform === 'string' ? escapeLine(platform) : 'Unknown'],
          ['Address', address && escapeLine(address)],
          ['Code shown', <Ago key="at" at={createdAt} />],
          ['Fingerprint', fingerprint && <code key="key">{fingerprint}</code>],
          ['May', request.limited ? 'Look, decide on approvals, cancel tasks' : 'Everything that you may'],
        ]}
      />
      <p className="muted">
        The device says its name and platform itself. Approve only what you hold in your hand.
      </p>
      <div ref={buttons} className={styles['buttons']}>
        <ActButton run={() => decide(() => client.pairing.reject({ body: { code } }))}>Reject</ActButton>
        <ActButton
          className="primary"
          run={() => decide(() => client.pairing.approve({ body: { code, version } }))}
        >
          Approve
        </ActButton>
      </div>
    </section>
  );
}

/** What the device calls itself. */
const nameOf = ({ meta, requesterId }: PairingRequest): string =>
  escapeLine(typeof meta['name'] === 'string' && meta['name'] !== '' ? meta['name'] : requesterId);
