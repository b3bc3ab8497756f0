import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { ModelProvider } from '../../../../contract/providers.ts';
import { client } from '../../../client.ts';
import { Empty } from '../../../components/empty.tsx';
import { Field } from '../../../components/form/field.tsx';
import { Fields, Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { providerModelsQuery, refreshProviders } from '../../../queries/providers.ts';

/** Chooses the provider, and perhaps the model, that answers where nobody chooses. */
export function DefaultModel({
  providers,
  usual,
}: {
  providers: readonly ModelProvider[];
  usual: { provider: string; model?: string | undefined } | null;
}) {
  const [chosen, setChosen] = useState<string>();
  const provider = chosen ?? usual?.provider ?? providers[0]?.type ?? '';
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  if (providers.length === 0)
    return <Empty>There is no provider yet. Set one up below, and it can become the default.</Empty>;
  const submit = async (data: FormData) => {
    const model = formText(data, 'model').trim();
    const answer = await client.providers.setDefault({ body: { provider, ...(model && { model }) } });
    setWarnings(answer.warnings ?? []);
    await refreshProviders();
    setChosen(undefined);
  };
  return (
    <Form submit="Save" done="Saved." onSubmit={submit}>
      <Fields>
        <Field name="provider" label="Provider">
          {(control) => (
            <select {...control} value={provider} onChange={({ target }) => setChosen(target.value)}>
              {!providers.some(({ type }) => type === provider) && (
                <option value={provider}>{escapeLine(provider)}</option>
              )}
              {providers.map(({ type, name }) => (
                <option key={type} value={type}>
                  {escapeLine(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <ModelField
          key={provider}
          provider={provider}
          value={provider === usual?.provider ? (usual.model ?? '') : ''}
        />
      </Fields>
      {warnings.map((warning) => (
        <p key={warning} role="status">
          {escapeLine(warning)}
        </p>
      ))}
    </Form>
  );
}

/** The name of a model, with those that the provider lists. */
function ModelField({ provider, value }: { provider: string; value: string }) {
  const list = useId();
  // Only who wants to choose a model makes svc ask the provider.
  const [isWanted, setWanted] = useState(false);
  const models = useQuery({ ...providerModelsQuery(provider), enabled: isWanted });
  const usual = 'Default: what the provider is set up with, or its first model.';
  return (
    <Field
      name="model"
      label="Model"
      hint={models.error ? `Its models cannot be listed now. ${usual}` : usual}
    >
      {(control) => (
        <>
          <input
            {...control}
            list={list}
            defaultValue={value}
            onFocus={() => setWanted(true)}
            autoComplete="off"
            spellCheck={false}
          />
          <datalist id={list}>
            {models.data?.models.map(({ id, name }) => (
              <option key={id} value={id} label={name === id ? undefined : name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
