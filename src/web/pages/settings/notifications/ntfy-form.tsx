import { useState } from 'react';
import { client } from '../../../client.ts';
import { Field } from '../../../components/form/field.tsx';
import { Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { SettingsGroup } from '../settings-group.tsx';
import styles from './notifications.module.css';

/** Sends the same to a topic of ntfy, for phones whose browser cannot receive notifications. */
export function NtfyForm() {
  const [added, setAdded] = useState(0);
  return (
    <SettingsGroup
      title="Through ntfy"
      hint="ntfy is an app for phones. It works without https, and its messages also name the main argument of a call."
    >
      <Form
        key={added}
        submit="Add the topic"
        onSubmit={async (data) => {
          const token = formText(data, 'token');
          await client.webhooks.create({
            body: {
              url: formText(data, 'url'),
              format: 'text',
              events: ['approval.requested', 'task.failed'],
              description: 'ntfy',
              ...(token !== '' && { token }),
            },
          });
          await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
          setAdded((count) => count + 1);
        }}
      >
        <Field
          name="url"
          label="Address of the topic"
          hint="Who knows the topic reads the messages: choose a name that nobody guesses."
        >
          {(control) => (
            <input
              {...control}
              type="url"
              inputMode="url"
              placeholder="https://ntfy.sh/your-topic"
              autoComplete="off"
            />
          )}
        </Field>
        <Field name="token" label="Access token" hint="Only for a topic that needs one.">
          {(control) => <input {...control} type="password" autoComplete="off" />}
        </Field>
      </Form>
      {added > 0 && (
        <p role="status">
          Added. Approvals and failures are sent there. Change it with <code>svc webhooks</code>.
        </p>
      )}
      <p className={`muted ${styles['command']}`}>
        In a terminal:{' '}
        <code>
          svc webhooks add https://ntfy.sh/your-topic --format text -e approval.requested -e task.failed
        </code>
      </p>
    </SettingsGroup>
  );
}
