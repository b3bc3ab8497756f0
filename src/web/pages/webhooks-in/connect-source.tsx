import { useState } from 'react';
import { productNames, type Vendor } from '../../../contract/vendors.ts';
import { ActButton } from '../../components/act-button.tsx';
import { CopiedValue } from '../../components/copied-value.tsx';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { client } from '../../client.ts';
import { queryClient } from '../../queries/query-client.ts';
import styles from '../webhooks/webhooks.module.css';

const steps: Record<Vendor, { open: string; events: string; isGenerated: boolean }> = {
  github: {
    open: 'In the repository or organization, open Settings, Webhooks, Add webhook. Choose the content type application/json.',
    events:
      'Choose the events Issues, Issue comments, Pull requests, Pull request reviews and Pull request review comments.',
    isGenerated: true,
  },
  jira: {
    open: 'As a site administrator, open Settings, System, WebHooks, Create a WebHook.',
    events: 'Choose the events Issue created, Issue updated and Comment created.',
    isGenerated: true,
  },
  linear: {
    open: 'As a workspace administrator, open Settings, API, New webhook.',
    events: 'Choose the data change events Issues and Comments.',
    isGenerated: false,
  },
};

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
const newSecret = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

async function store(vendor: Vendor, secret: string): Promise<void> {
  await client.config.update({
    params: { key: `webhooks.${vendor}.signingSecret` },
    body: { value: secret },
  });
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['inbound'] }),
    queryClient.invalidateQueries({ queryKey: ['config'] }),
  ]);
}

/** What to enter at the product, step by step; the secret is generated here or brought from there. */
export function ConnectSource({
  vendor,
  hasSecret,
  address,
}: {
  vendor: Vendor;
  hasSecret: boolean;
  address: string;
}) {
  const { open, events, isGenerated } = steps[vendor];
  const [secret, setSecret] = useState<string>();
  const isLocal = loopback.has(new URL(address).hostname);
  return (
    <div className={styles['connect']}>
      <ol>
        <li>{open}</li>
        <li>
          Enter this address:
          <CopiedValue name={`address for ${productNames[vendor]}`} value={address} />
          {isLocal && (
            <p className="muted">
              Only this machine reaches this address. Make svc reachable and set <code>server.baseUrl</code>{' '}
              to its public address.
            </p>
          )}
        </li>
        <li>{events}</li>
        <li>
          {isGenerated ? (
            secret === undefined ? (
              <>
                <p>
                  Enter a secret, which signs what is sent.
                  {hasSecret && ' One is set; a new one replaces it, so enter it at the product right away.'}
                </p>
                <div className={styles['buttons']}>
                  <ActButton
                    run={async () => {
                      const made = newSecret();
                      await store(vendor, made);
                      setSecret(made);
                    }}
                  >
                    {hasSecret ? 'Replace the secret' : 'Generate a secret'}
                  </ActButton>
                </div>
              </>
            ) : (
              <>
                <p>Enter this secret now; it is shown only once.</p>
                <CopiedValue name={`secret for ${productNames[vendor]}`} value={secret} />
              </>
            )
          ) : (
            <Form
              submit={hasSecret ? 'Replace the secret' : 'Save the secret'}
              onSubmit={async (data) => {
                const value = formText(data, 'value').trim();
                if (value === '')
                  return new Map([['value', `Paste the secret that ${productNames[vendor]} shows.`]]);
                await store(vendor, value);
                return undefined;
              }}
            >
              <Field name="value" label={`Signing secret that ${productNames[vendor]} shows`}>
                {(control) => <input {...control} type="password" autoComplete="off" spellCheck={false} />}
              </Field>
            </Form>
          )}
        </li>
      </ol>
    </div>
  );
}
