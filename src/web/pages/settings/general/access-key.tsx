import { useState } from 'react';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { CopiedValue } from '../../../components/copied-value.tsx';
import { useAway } from '../../../live/use-away.ts';
import { Revealed } from '../revealed.tsx';
import styles from '../settings.module.css';

const KEY_BYTES = 18;

/** A key of 24 characters that nobody can guess. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** Sets a new access key, which is shown once, or removes it. */
export function AccessKey() {
  const isAway = useAway();
  const [asked, setAsked] = useState<'set' | 'remove'>();
  const [key, setKey] = useState<string>();
  const [said, setSaid] = useState('');
  const close = () => setAsked(undefined);
  const set = async () => {
    const made = newKey();
    await client.auth.updateAccessKey({ body: { key: made } });
    setKey(made);
    setSaid('');
  };
  const remove = async () => {
    await client.auth.updateAccessKey({ body: { key: null } });
    setKey(undefined);
    setSaid('Access key removed.');
  };
  return (
    <>
      {key !== undefined && (
        <Revealed title="New access key" onClose={() => setKey(undefined)}>
          <p>Store it now; it is shown only once.</p>
          <CopiedValue name="access key" value={key} />
        </Revealed>
      )}
      <div className={styles['line']}>
        <button type="button" className="button" disabled={isAway} onClick={() => setAsked('set')}>
          Set a new access key
        </button>
        <button type="button" className="button danger" disabled={isAway} onClick={() => setAsked('remove')}>
          Remove it
        </button>
        <span role="status" className="muted">
          {said}
        </span>
      </div>
      {asked === 'set' && (
        <ConfirmDialog title="Set a new access key?" verb="Set a new key" run={set} onClose={close}>
          <p>The key before stops working, and browsers that signed in with it are signed out.</p>
        </ConfirmDialog>
      )}
      {asked === 'remove' && (
        <ConfirmDialog title="Remove the access key?" verb="Remove" run={remove} onClose={close}>
          <p>
            Browsers that signed in with it are signed out. <code>svc ui</code> on this machine still works.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
