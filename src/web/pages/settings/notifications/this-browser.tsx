import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { PushKind, PushSubscription } from '../../../../contract/push.ts';
import { ApiError } from '../../../../contract/client.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { client } from '../../../client.ts';
import { Check } from '../../../components/form/form.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Problem } from '../../../components/problem.tsx';
import { Ago } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { obstacleWords, pushObstacle } from './push-support.ts';
import { NotAllowed, subscribeHere, unsubscribeHere } from './push-worker.ts';
import styles from './notifications.module.css';

const kinds: readonly (readonly [kind: PushKind, words: string])[] = [
  ['approval', 'An agent asks for approval'],
  ['failure', 'A task failed for good'],
  ['waiting', 'A task waits, for example for a usage limit'],
];

/** Notifications in this browser: what of, a test, and their end. */
export function ThisBrowser({
  publicKey,
  subscription,
}: {
  publicKey: string;
  subscription: PushSubscription | undefined;
}) {
  const obstacle = pushObstacle();
  const isAway = useAway();
  const [chosen, setChosen] = useState<readonly PushKind[]>(subscription?.kinds ?? ['approval', 'failure']);
  const [said, setSaid] = useState('');
  const act = useMutation({
    mutationFn: (work: () => Promise<string>) => work(),
    onMutate: () => setSaid(''),
    onSuccess: setSaid,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['push'] }),
  });
  if (obstacle && !subscription)
    return (
      <p className={styles['obstacle']} role="note">
        <Icon name="bell" /> <span>{obstacleWords[obstacle]}</span>
      </p>
    );
  const isChanged = subscription?.kinds.toSorted().join() !== chosen.toSorted().join();
  const button = (
    name: string,
    work: () => Promise<string>,
    className = '',
    isDisabled = false,
  ): ReactNode => (
    <button
      type="button"
      className={`button ${className}`}
      disabled={isDisabled || isAway || act.isPending}
      onClick={() => act.mutate(work)}
    >
      {name}
    </button>
  );
  const subscribe = async () => {
    await subscribeHere(publicKey, [...chosen]);
    return subscription ? 'Saved.' : 'Notifications arrive here from now on.';
  };
  return (
    <div className={styles['here']}>
      <fieldset className={styles['kinds']}>
        <legend>Notify me when</legend>
        {kinds.map(([kind, words]) => (
          <Check key={kind}>
            <input
              type="checkbox"
              checked={chosen.includes(kind)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, kind] : chosen.filter((each) => each !== kind))
              }
            />{' '}
            {words}
          </Check>
        ))}
      </fieldset>
      <div className={styles['buttons']}>
        {!subscription && button('Notify me on this device', subscribe, 'primary', chosen.length === 0)}
        {subscription && button('Save', subscribe, 'primary', chosen.length === 0 || !isChanged)}
        {subscription && button('Send a test', () => sendTest(subscription.id))}
        {subscription &&
          button(
            'Stop on this device',
            async () => {
              await unsubscribeHere(subscription.id);
              return 'No more notifications arrive here.';
            },
            'quiet',
          )}
      </div>
      <p className="muted" role="status">
        {act.isPending ? 'Working…' : said}
      </p>
      {act.error && <What error={act.error} />}
      {subscription?.lastError && !act.error && (
        <p className="muted">The last notification did not arrive: {escapeLine(subscription.lastError)}.</p>
      )}
      {subscription?.lastSentAt && (
        <p className="muted">
          Last notification <Ago at={subscription.lastSentAt} />.
        </p>
      )}
    </div>
  );
}

async function sendTest(id: string): Promise<string> {
  const { delivered, error } = await client.push.sendTest({ params: { id } });
  return delivered ? 'A test is on its way.' : `The test was not accepted: ${escapeLine(error ?? '')}.`;
}

/** What the daemon says, or the browser. */
function What({ error }: { error: Error }) {
  if (error instanceof ApiError) return <Problem error={error} />;
  return (
    <div role="alert" className="problem">
      <p>
        {error instanceof NotAllowed
          ? 'The browser did not allow notifications. Allow them in the settings of the site, then try again.'
          : `The browser could not turn notifications on: ${escapeLine(error.message)}`}
      </p>
    </div>
  );
}
