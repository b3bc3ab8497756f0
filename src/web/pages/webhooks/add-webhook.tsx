import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../../contract/webhooks.ts';
import { CopiedValue } from '../../components/copied-value.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form/form.tsx';
import { client } from '../../client.ts';
import { missingIn, readWebhookForm } from './read-webhook-form.ts';
import { refreshWebhooks } from './refresh-webhooks.ts';
import { SendTest } from './send-test.tsx';
import { WebhookFields } from './webhook-fields.tsx';
import styles from './webhooks.module.css';

/** Creates a webhook, then shows its secret once and offers to try it. */
export function AddWebhook({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<{ webhook: Webhook; isGenerated: boolean }>();
  const submit = async (data: FormData) => {
    const form = readWebhookForm(data);
    const missing = missingIn(form);
    if (missing) return missing;
    const { url, events, format, description, secret, token } = form;
    const { webhook } = await client.webhooks.create({
      body: {
        url,
        events,
        format,
        ...(description !== '' && { description }),
        ...(secret !== '' && { secret }),
        ...(token !== '' && { token }),
      },
    });
    setCreated({ webhook, isGenerated: secret === '' && format === 'json' });
    await refreshWebhooks();
    return undefined;
  };
  return (
    <Dialog title={created ? 'Webhook added' : 'Add webhook'} onClose={onClose}>
      {created ? (
        <>
          {created.isGenerated && (
            <div className={styles['shown']}>
              <p>Store this secret now; it is shown only once. The receiver verifies signatures with it.</p>
              <CopiedValue name="secret" value={created.webhook.secret} />
            </div>
          )}
          <div className={styles['buttons']}>
            <SendTest id={created.webhook.id} />
            <Link to="/webhooks/$id" params={{ id: created.webhook.id }} className="button">
              Show webhook
            </Link>
            <button type="button" className="button quiet" onClick={onClose}>
              Done
            </button>
          </div>
        </>
      ) : (
        <Form submit="Add webhook" onSubmit={submit} onCancel={onClose}>
          <WebhookFields />
        </Form>
      )}
    </Dialog>
  );
}
