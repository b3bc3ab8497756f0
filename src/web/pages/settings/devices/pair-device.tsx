import { Link } from '@tanstack/react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client } from '../../../client.ts';
import { CopiedValue } from '../../../components/copied-value.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Problem } from '../../../components/problem.tsx';
import { formatCountdown, useNow } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { pairingQuery } from '../../../queries/devices.ts';
import { SettingsGroup } from '../settings-group.tsx';
import { isOnlyHere } from './is-only-here.ts';
import { WhoAsks } from './who-asks.tsx';
import styles from './devices.module.css';

/** Shows a code that a phone scans, then who asks with it. */
export function PairDevice() {
  const isAway = useAway();
  const show = useMutation({ mutationFn: () => client.pairing.createQr({ query: { link: 'browser' } }) });
  return (
    <SettingsGroup
      title="Pair a phone"
      hint="Its browser is then signed in to look at tasks, decide on approvals and cancel. It can do nothing else."
    >
      {show.error && <Problem error={show.error} />}
      {show.data ? (
        <Code
          key={show.data.code}
          code={show.data}
          onNew={() => show.mutate()}
          onDone={() => show.reset()}
          isDisabled={isAway || show.isPending}
        />
      ) : (
        <p>
          <button
            type="button"
            className="button primary"
            disabled={isAway || show.isPending}
            onClick={() => show.mutate()}
          >
            <Icon name="smartphone" /> Show a code
          </button>
        </p>
      )}
    </SettingsGroup>
  );
}

interface ShownCode {
  qrSvg: string;
  pairingUrl: string;
  code: string;
  expiresAt: string;
}

function Code({
  code: { qrSvg, pairingUrl, code, expiresAt },
  onNew,
  onDone,
  isDisabled,
}: {
  code: ShownCode;
  onNew: () => void;
  onDone: () => void;
  isDisabled: boolean;
}) {
  const left = Date.parse(expiresAt) - useNow();
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => image.current?.scrollIntoView({ block: 'nearest' }), []);
  const { data: request } = useQuery(pairingQuery(code, expiresAt));
  const isDecided = request?.status === 'approved' || request?.status === 'rejected';
  const isOver = left <= 0 && !isDecided;
  return (
    <>
      {isOver ? (
        <div className={`card ${styles['over']}`}>
          <p role="status">This code has expired.</p>
          <button type="button" className="button primary" disabled={isDisabled} onClick={onNew}>
            Show a new code
          </button>
        </div>
      ) : (
        <WhoAsks code={code} expiresAt={expiresAt} onNew={onNew} onDone={onDone}>
          {isOnlyHere(pairingUrl) && (
            <p className={styles['warning']} role="note">
              <Icon name="triangle-alert" />
              <span>
                Only this machine can reach this address. Give the daemon one that your phone can reach:{' '}
                <Link to="/settings/configuration" search={{ q: 'server.baseUrl' }}>
                  set server.baseUrl
                </Link>
                , then restart it.
              </span>
            </p>
          )}
          <div className={`card ${styles['code']}`}>
            {/* An image: text of the daemon never becomes markup. */}
            <img
              ref={image}
              className={styles['qr']}
              src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
              alt="QR code of the link below"
              width={208}
              height={208}
            />
            <div className={styles['steps']}>
              <ol>
                <li>Scan the code with the camera of the phone, and open the link.</li>
                <li>Give the phone a name there, and ask to pair.</li>
                <li>Approve it here.</li>
              </ol>
              <p className={styles['letters']}>
                <span className="muted">Code</span> <strong>{code}</strong>
              </p>
              <p className="muted">
                Works once, for one device. <span>{formatCountdown(left)} left</span>
              </p>
            </div>
            <div className={styles['link']}>
              <CopiedValue name="link" value={pairingUrl} />
            </div>
          </div>
        </WhoAsks>
      )}
    </>
  );
}
