import type { Webhook } from '../../../contract/webhooks.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form/form.tsx';
import { client } from '../../client.ts';
import { missingIn, readWebhookForm } from './read-webhook-form.ts';
import { refreshWebhooks } from './refresh-webhooks.ts';
import { WebhookFields } from './webhook-fields.tsx';

/** Changes a webhook; only what is different is sent. */
export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const submit = async (data: FormData) => {
    const form = readWebhookForm(data);
    const missing = missingIn(form);
    if (missing) return missing;
    const { url, events, format, description, token } = form;
    await client.webhooks.update({
      params: { id: webhook.id },
      body: {
        events,
        format,
        // An address that is sent counts as changed, which only administrators may do with a webhook for all users.
        ...(url !== webhook.url && { url }),
        description: description === '' ? null : description,
        ...(token !== '' && { token }),
      },
    });
    await refreshWebhooks();
    onClose();
    return undefined;
  };
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <Form submit="Save" onSubmit={submit} onCancel={onClose}>
        <WebhookFields webhook={webhook} />
      </Form>
    </Dialog>
  );
}
