import { useState } from 'react';
import type { Webhook } from '../../../contract/webhooks.ts';
import { CopiedValue } from '../../components/copied-value.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { formatExact } from '../../components/time.tsx';
import { client } from '../../client.ts';
import { refreshWebhooks } from './refresh-webhooks.ts';
import styles from './webhooks.module.css';

/** Replaces the secret and shows the new one once; both sign for a while, so that nothing fails in between. */
export function RotateSecret({ id, onClose }: { id: string; onClose: () => void }) {
  const [rotated, setRotated] = useState<Webhook>();
  const submit = async (data: FormData) => {
    const hours = Number(formText(data, 'keepHours'));
    const { webhook } = await client.webhooks.rotateSecret({ params: { id }, body: { keepHours: hours } });
    setRotated(webhook);
    await refreshWebhooks();
    return undefined;
  };
  return (
    <Dialog title={rotated ? 'Secret rotated' : 'Rotate the secret'} onClose={onClose}>
      {rotated ? (
        <>
          <div className={styles['shown']}>
            <p>Store this secret now; it is shown only once.</p>
            <CopiedValue name="secret" value={rotated.secret} />
          </div>
          <p className="muted">
            {rotated.previousSecretUntil
              ? `The previous secret also signs until ${formatExact(rotated.previousSecretUntil)}.`
              : 'The previous secret no longer signs.'}
          </p>
          <div className={styles['buttons']}>
            <button type="button" className="button primary" onClick={onClose}>
              Done
            </button>
          </div>
        </>
      ) : (
        <Form submit="Rotate secret" onSubmit={submit} onCancel={onClose}>
          <p>A new secret signs from now on.</p>
          <Field name="keepHours" label="The previous secret also signs for">
            {(control) => (
              <select {...control} defaultValue="24">
                <option value="24">a day</option>
                <option value="168">a week</option>
                <option value="0">no time: it has leaked</option>
              </select>
            )}
          </Field>
        </Form>
      )}
    </Dialog>
  );
}
