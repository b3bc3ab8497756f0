import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { Problem } from '../../components/problem.tsx';
import { formatCountdown, useNow } from '../../components/time.tsx';
import { deviceName, platformName } from './this-device.ts';
import styles from './pair.module.css';

/** How often the phone asks whether somebody has decided. */
const EVERY_MS = 2000;

/** Survives that the page begins anew once it is loaded. */
let lastCode = '';

/** Takes the code of the link, which does not stay in the address. */
function takeCode(): string {
  if (location.hash.length > 1) lastCode = location.hash.slice(1);
  return lastCode;
}

/** Where the link of a pairing code leads: asks to become a device of the person who shows it. */
export function PairPage() {
  const [code, setCode] = useState(takeCode);
  const claim = useMutation({
    mutationFn: (name: string) =>
      client.pairing.claim({
        body: { code, requesterId: name, meta: { name, platform: platformName() } },
      }),
  });
  const { reset } = claim;
  useEffect(() => {
    // The history of the browser does not keep it.
    const clear = () => history.replaceState(history.state, '', location.pathname);
    const take = () => {
      setCode(takeCode());
      reset();
      clear();
    };
    clear();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, [reset]);
  return (
    <main className={styles['page']}>
      <div className={`card ${styles['card']}`}>
        <img src="/icon.svg" alt="" width={32} height={32} />
        {claim.data ? (
          <Waiting {...claim.data} />
        ) : code === '' ? (
          <NoCode />
        ) : (
          <>
            <h1>Pair this device?</h1>
            <p>
              Once paired, it can view tasks, decide on approvals and cancel tasks until you revoke it. If
              this browser is signed in, it is signed out. Continue only if you opened the code yourself,
              under Settings, Devices.
            </p>
            <Form
              submit="Ask to pair"
              onSubmit={(data) => claim.mutateAsync(formText(data, 'name')).then(none)}
            >
              <Field name="name" label="Name of this device">
                {(control) => <input {...control} defaultValue={deviceName()} maxLength={100} required />}
              </Field>
            </Form>
          </>
        )}
      </div>
    </main>
  );
}

const none = () => undefined;

const NoCode = () => (
  <>
    <h1>No pairing code</h1>
    <p>Scan the code under Settings, Devices on a browser that is signed in. A code works once.</p>
    <a href="/">Open svc</a>
  </>
);

interface Asked {
  requestId: string;
  expiresAt: string;
  daemonFingerprint: string;
}

/** Until somebody has decided. The session arrives as a cookie that no script reads. */
function Waiting({ requestId, expiresAt }: Asked) {
  const left = Date.parse(expiresAt) - useNow();
  const { data, error, refetch } = useQuery({
    queryKey: ['pair', requestId],
    queryFn: () => client.pairing.signIn({ body: { requestId } }),
    // Each time anew: only the first answer after the approval signs in.
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'pending' ? false : EVERY_MS),
    refetchIntervalInBackground: true,
  });
  useEffect(() => {
    // Everything that was read for another session is gone with the page.
    if (data?.signedIn) location.assign('/');
  }, [data]);
  if (error)
    return (
      <>
        <h1>Pairing</h1>
        <Problem error={error} onRetry={() => void refetch()} />
      </>
    );
  if (data?.signedIn)
    return (
      <>
        <h1>Paired</h1>
        <p role="status">Opening svc…</p>
      </>
    );
  if (data?.status === 'approved' || data?.status === 'rejected' || data?.status === 'expired')
    return (
      <>
        <h1>Not paired</h1>
        <p role="status">
          {
            {
              rejected: `The request was rejected${data.reason ? `: ${escapeLine(data.reason)}` : ''}.`,
              expired: 'The code expired before the device was approved.',
              approved:
                'The request was approved, but its answer was lost. Revoke the device and pair again.',
            }[data.status]
          }
        </p>
        <p>Show a new code under Settings, Devices, and scan it.</p>
      </>
    );
  return (
    <>
      <h1>Approve this device</h1>
      <p role="status">
        Waiting for approval where the code is shown: Settings, Devices. Leave this page open.
      </p>
      <p className="muted">{left > 0 ? `${formatCountdown(left)} left` : 'The code has expired.'}</p>
    </>
  );
}
