import { use, useState } from 'react';
import type { Webhook, WebhookEvent } from '../../../contract/webhooks.ts';
import { eventMeanings } from '../../../contract/webhook-event-meanings.ts';
import { Check } from '../../components/form/form.tsx';
import { Field, Problems } from '../../components/form/field.tsx';
import styles from './webhooks.module.css';

const usual: WebhookEvent[] = ['task.completed', 'task.failed', 'approval.requested'];

/** What a webhook is told and how, for a new one or one that is edited. */
export function WebhookFields({ webhook }: { webhook?: Webhook }) {
  const [format, setFormat] = useState(webhook?.format ?? 'json');
  const chosen = webhook?.events ?? usual;
  return (
    <>
      <Field name="url" label="Address" hint="Where svc sends each event with a POST request.">
        {(control) => (
          <input
            {...control}
            type="url"
            defaultValue={webhook?.url}
            placeholder="https://example.com/svc"
            spellCheck={false}
            autoFocus
          />
        )}
      </Field>
      <Field name="description" label="Name" hint="Optional. Shown in the list in place of the address.">
        {(control) => <input {...control} defaultValue={webhook?.description} maxLength={200} />}
      </Field>
      <Events chosen={chosen} />
      <Field
        name="format"
        label="Format"
        hint={
          format === 'json'
            ? 'A signed JSON object, for a program.'
            : 'One or two sentences for people, for example to an ntfy topic.'
        }
      >
        {(control) => (
          <select
            {...control}
            value={format}
            onChange={({ target }) => setFormat(target.value as Webhook['format'])}
          >
            <option value="json">JSON</option>
            <option value="text">Text</option>
          </select>
        )}
      </Field>
      {!webhook && (
        <Field name="secret" label="Secret" hint="It signs what is sent. Leave it empty to generate one.">
          {(control) => <input {...control} type="password" autoComplete="off" spellCheck={false} />}
        </Field>
      )}
      <Field
        name="token"
        label="Access token"
        hint={
          webhook?.token
            ? `Leave it empty to keep ${webhook.token}. Another host in the address removes it.`
            : 'Optional. Sent to the address as a bearer token, such as for a protected ntfy topic.'
        }
      >
        {(control) => <input {...control} type="password" autoComplete="off" spellCheck={false} />}
      </Field>
    </>
  );
}

function Events({ chosen }: { chosen: readonly WebhookEvent[] }) {
  const problem = use(Problems).get('events');
  return (
    <fieldset aria-describedby="events-note">
      <legend>Events</legend>
      <div className={styles['events']}>
        {Object.entries(eventMeanings).map(([event, meaning]) => (
          <Check key={event}>
            <input
              type="checkbox"
              name="events"
              value={event}
              defaultChecked={chosen.includes(event as WebhookEvent)}
              aria-invalid={problem === undefined ? undefined : true}
            />
            <span>
              <code>{event}</code> <span className="muted">{meaning}</span>
            </span>
          </Check>
        ))}
      </div>
      <p id="events-note" className="error">
        {problem}
      </p>
    </fieldset>
  );
}
