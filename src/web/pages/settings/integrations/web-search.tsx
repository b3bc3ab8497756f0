import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConfigureWebSearch, WebSearchInfo } from '../../../../contract/integrations.ts';
import { client } from '../../../client.ts';
import { Check, Form } from '../../../components/form/form.tsx';
import { Field } from '../../../components/form/field.tsx';
import { formText } from '../../../components/form-text.ts';
import { Item, Items } from '../../../components/items.tsx';
import { WithSettings } from '../../../components/with-settings.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { webSearchQuery } from '../../../queries/integrations.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { Read } from '../read.tsx';
import { useFocusBack } from '../use-focus-back.ts';
import { SearchProvider } from './search-provider.tsx';

async function save(body: ConfigureWebSearch): Promise<void> {
  queryClient.setQueryData(webSearchQuery.queryKey, await client.integrations.updateWebSearch({ body }));
  await queryClient.invalidateQueries({ queryKey: ['config'] });
}

/** Whether agents can search the web, and through whom. */
export function WebSearch({ isAdmin }: { isAdmin: boolean }) {
  const search = useQuery(webSearchQuery);
  return (
    <Read query={search} rows={2}>
      {(info) => (
        <>
          <Items label="Web search">
            <SearchState info={info} isAdmin={isAdmin} />
            {isAdmin &&
              info.providers.map((provider) => (
                <SearchProvider
                  key={provider.id}
                  provider={provider}
                  connection={info.config[provider.id]}
                  save={save}
                />
              ))}
          </Items>
        </>
      )}
    </Read>
  );
}

function SearchState({ info, isAdmin }: { info: WebSearchInfo; isAdmin: boolean }) {
  const { config, status, providers } = info;
  const [isOpen, setOpen] = useState(false);
  const button = useFocusBack(isOpen);
  const used = providers.find(({ id }) => id === status.provider);
  const submit = async (data: FormData) => {
    const provider = formText(data, 'provider');
    const chosen = providers.find(({ id }) => id === provider)?.id ?? null;
    await save({ enabled: data.has('enabled'), provider: chosen });
    setOpen(false);
  };
  return (
    <Item
      title="Web search"
      badge={
        <StateBadge tone={status.available ? 'good' : 'calm'}>
          {status.available ? 'available' : 'not available'}
        </StateBadge>
      }
      note={<WithSettings text={status.reason ?? `Through ${used?.name ?? 'a provider'}.`} />}
      actions={
        isAdmin && (
          <button
            ref={button}
            type="button"
            className="button"
            aria-expanded={isOpen}
            aria-label="Change web search"
            onClick={() => setOpen(!isOpen)}
          >
            Change
          </button>
        )
      }
    >
      {isOpen && (
        <Form submit="Save" onSubmit={submit} onCancel={() => setOpen(false)}>
          <Check>
            <input type="checkbox" name="enabled" defaultChecked={config.enabled} autoFocus />
            Let agents search the web
          </Check>
          <Field name="provider" label="Provider">
            {(control) => (
              <select {...control} defaultValue={config.provider ?? ''}>
                <option value="">The first one that is set up</option>
                {providers.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </Form>
      )}
    </Item>
  );
}
