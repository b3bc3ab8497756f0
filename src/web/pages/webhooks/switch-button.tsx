import type { Webhook } from '../../../contract/webhooks.ts';
import { ActButton } from '../../components/act-button.tsx';
import { client } from '../../client.ts';
import { refreshWebhooks } from './refresh-webhooks.ts';

/** Pauses a webhook, or turns it on again. */
export function SwitchButton({ webhook: { id, active, description, url } }: { webhook: Webhook }) {
  const verb = active ? 'Pause' : 'Turn on';
  return (
    <ActButton
      label={`${verb} ${description ?? url}`}
      run={async () => {
        await client.webhooks.update({ params: { id }, body: { active: !active } });
        await refreshWebhooks();
      }}
    >
      {verb}
    </ActButton>
  );
}
