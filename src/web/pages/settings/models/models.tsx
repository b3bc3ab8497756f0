import { useQuery } from '@tanstack/react-query';
import { providersQuery } from '../../../queries/providers.ts';
import { SettingItems } from '../configuration/setting-items.tsx';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { AddServer } from './add-server.tsx';
import { DefaultModel } from './default-model.tsx';
import { ProviderList } from './provider-list.tsx';
import { SetUpProvider } from './set-up-provider.tsx';

/** The model providers: their keys, which is the default, and servers of one's own. */
export function ModelsSection() {
  const list = useQuery(providersQuery);
  return (
    <Read query={list} rows={6}>
      {({ providers, default: usual }) => {
        const configured = providers.filter((provider) => provider.configured || provider.custom);
        return (
          <>
            <SettingsGroup title="Default model" hint="Answers where nobody chooses another one.">
              <DefaultModel providers={configured} usual={usual} />
            </SettingsGroup>
            <SettingsGroup
              title="Providers"
              hint="Keys are encrypted. They are never shown again, only replaced or removed."
            >
              <ProviderList providers={configured} usual={usual?.provider} />
              <SetUpProvider providers={providers.filter((provider) => !configured.includes(provider))} />
            </SettingsGroup>
            <SettingsGroup
              title="A server of your own"
              hint="Any server that speaks the API of OpenAI, such as vLLM, LM Studio or a gateway."
            >
              <AddServer />
            </SettingsGroup>
            <SettingsGroup title="Models of the agents and prices">
              <SettingItems
                label="Models of the agents and prices"
                keys={['agents.builtin.model', 'agents.judge.model', 'models.prices']}
              />
            </SettingsGroup>
          </>
        );
      }}
    </Read>
  );
}
