import { useState } from 'react';
import { client } from '../../../client.ts';
import { Field } from '../../../components/form/field.tsx';
import { Check, Fields, Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { refreshProviders } from '../../../queries/providers.ts';
import { useFocusBack } from '../use-focus-back.ts';
import styles from '../settings.module.css';

/** Adds an OpenAI-compatible server under a name of its own. */
export function AddServer() {
  const [isOpen, setOpen] = useState(false);
  const button = useFocusBack(isOpen);
  if (!isOpen)
    return (
      <div className={styles['line']}>
        <button ref={button} type="button" className="button" onClick={() => setOpen(true)}>
          Add a server
        </button>
      </div>
    );
  const submit = async (data: FormData) => {
    const apiKey = formText(data, 'apiKey').trim();
    const defaultModel = formText(data, 'defaultModel').trim();
    await client.providers.add({
      body: {
        name: formText(data, 'name').trim(),
        baseUrl: formText(data, 'baseUrl').trim(),
        ...(apiKey && { apiKey }),
        ...(defaultModel && { defaultModel }),
        ...(data.has('default') && { default: true }),
      },
    });
    await refreshProviders();
    setOpen(false);
  };
  return (
    <Form submit="Add" onSubmit={submit} onCancel={() => setOpen(false)}>
      <Fields>
        <Field name="name" label="Name" hint="Lower-case letters, digits and hyphens.">
          {(control) => <input {...control} autoComplete="off" spellCheck={false} autoFocus />}
        </Field>
        <Field name="baseUrl" label="Base URL" hint="Without a path, /v1 is added.">
          {(control) => (
            <input {...control} inputMode="url" placeholder="http://127.0.0.1:8080/v1" spellCheck={false} />
          )}
        </Field>
        <Field name="apiKey" label="API key" hint="Many servers need none. Encrypted and never shown.">
          {(control) => <input {...control} type="password" autoComplete="off" />}
        </Field>
        <Field name="defaultModel" label="Default model" hint="Its first model unless set.">
          {(control) => <input {...control} autoComplete="off" spellCheck={false} />}
        </Field>
      </Fields>
      <Check>
        <input type="checkbox" name="default" />
        Make it the default provider
      </Check>
    </Form>
  );
}
