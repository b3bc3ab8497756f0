import { useQuery } from '@tanstack/react-query';
import type { ModelProvider } from '../../../../contract/providers.ts';
import type { Setting } from '../../../../contract/config.ts';
import { client } from '../../../client.ts';
import { Field } from '../../../components/form/field.tsx';
import { Fields, Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { configQuery } from '../../../queries/config.ts';
import { refreshProviders } from '../../../queries/providers.ts';

const azure = ['resourceName', 'apiVersion'] as const;

/** Sets up a provider. Its key is only written; one that the environment sets cannot be changed here. */
export function ProviderForm({ provider, onClose }: { provider: ModelProvider; onClose: () => void }) {
  const { type, apiKey, custom } = provider;
  const { data: settings = {} } = useQuery(configQuery);
  const fixed = (name: string) => fixedBy(settings[`providers.${type}.${name}`]);
  const names = ['baseUrl', 'defaultModel', ...(type === 'azure' ? azure : [])] as const;
  const submit = async (data: FormData) => {
    const key = formText(data, 'apiKey').trim();
    const changed = names
      .map((name) => [name, formText(data, name).trim()] as const)
      .filter(([name, value]) => fixed(name) === undefined && value !== (provider[name] ?? ''));
    await client.providers.configure({
      params: { type },
      body: {
        ...(key && { apiKey: key }),
        ...Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])),
      },
    });
    await refreshProviders();
    onClose();
  };
  const field = (name: (typeof names)[number], label: string, hint: string) => (
    <Field name={name} label={label} hint={fixed(name) ?? hint}>
      {(control) => (
        <input
          {...control}
          defaultValue={provider[name] ?? ''}
          readOnly={fixed(name) !== undefined}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Field>
  );
  const keyHint = apiKey === undefined ? 'Encrypted and never shown.' : `Empty keeps the key ${apiKey}.`;
  return (
    <Form submit="Save" onSubmit={submit} onCancel={onClose}>
      <Field
        name="apiKey"
        label={apiKey === undefined ? 'API key' : 'New API key'}
        hint={
          fixed('apiKey') ?? (type === 'ollama' || custom ? `${keyHint} Many servers need none.` : keyHint)
        }
      >
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete="off"
            readOnly={fixed('apiKey') !== undefined}
            autoFocus
          />
        )}
      </Field>
      <Fields>
        {type === 'azure' && field('resourceName', 'Resource', 'The name of your Azure resource.')}
        {type === 'azure' && field('apiVersion', 'API version', 'Such as 2024-10-21.')}
        {field('defaultModel', 'Default model', 'Its first model unless set.')}
        {field(
          'baseUrl',
          'Base URL',
          custom
            ? 'Another origin removes the key.'
            : 'Only if it is not the usual one. Another origin removes the key.',
        )}
      </Fields>
    </Form>
  );
}

function fixedBy(setting: Setting | undefined): string | undefined {
  if (setting?.origin === 'environment')
    return `Set by the environment variable ${setting.environment ?? ''}.`;
  return setting?.origin === 'flag' ? 'Set on the command line of the daemon.' : undefined;
}
