import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { ConfigureWebSearch, WebSearchInfo } from '../../../../contract/integrations.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { Field } from '../../../components/form/field.tsx';
import { Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { Item } from '../../../components/items.tsx';
import { useFocusBack } from '../use-focus-back.ts';
import styles from '../settings.module.css';

type Provider = WebSearchInfo['providers'][number];

/** One provider of web search, with the fields that it takes. Its key is only written. */
export function SearchProvider({
  provider: { id, name, description, configFields },
  connection: { apiKey, baseUrl },
  save,
}: {
  provider: Provider;
  connection: WebSearchInfo['config'][Provider['id']];
  save: (body: ConfigureWebSearch) => Promise<void>;
}) {
  const [isOpen, setOpen] = useState(false);
  const button = useFocusBack(isOpen);
  const facts = [description, apiKey && `Key ${apiKey}`, baseUrl].filter(Boolean).join(' · ');
  const submit = async (data: FormData) => {
    const key = formText(data, `${id}.apiKey`).trim();
    const url = formText(data, `${id}.baseUrl`).trim();
    await save({
      [id]: {
        ...(key && { apiKey: key }),
        ...(configFields.includes('baseUrl') && url !== (baseUrl ?? '') && { baseUrl: url || null }),
      },
    });
    setOpen(false);
  };
  return (
    <Item
      title={name}
      note={escapeLine(facts)}
      actions={
        <>
          <button
            ref={button}
            type="button"
            className="button"
            aria-expanded={isOpen}
            aria-label={`Set up ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            Set up
          </button>
          {apiKey !== undefined && (
            <ActButton
              className="danger"
              label={`Remove the key of ${name}`}
              run={() => save({ [id]: { apiKey: null } })}
            >
              Remove key
            </ActButton>
          )}
        </>
      }
    >
      {isOpen && (
        <div className={styles['details']}>
          <Form submit="Save" onSubmit={submit} onCancel={() => setOpen(false)}>
            {configFields.includes('apiKey') && (
              <Field
                name={`${id}.apiKey`}
                label={apiKey === undefined ? 'API key' : 'New API key'}
                hint={apiKey === undefined ? 'Encrypted and never shown.' : `Empty keeps the key ${apiKey}.`}
              >
                {(control) => <input {...control} type="password" autoComplete="off" autoFocus />}
              </Field>
            )}
            {configFields.includes('baseUrl') && (
              <Field name={`${id}.baseUrl`} label="Base URL" hint="Another origin removes the key.">
                {(control) => (
                  <input {...control} inputMode="url" defaultValue={baseUrl ?? ''} spellCheck={false} />
                )}
              </Field>
            )}
          </Form>
        </div>
      )}
    </Item>
  );
}
