import { choiceTable } from '../../../contract/choice-table.ts';
import { type Candidate, choice, type ValueType } from '../../program/value-type.ts';
import { providerState } from '../../../contract/provider-state.ts';

/** The name of a model provider: the daemon knows the servers that were added, and says which names it does not know. */
export const providerName: ValueType<string> = {
  ...choice<string>(choiceTable.providers.configure.type, { isOpen: true }),
  suggest: async (cli, { signal }) => {
    const { client } = cli.connect({ mayStart: false });
    const { providers } = await client.providers.list({}, { signal });
    return providers
      .toSorted((a, b) => Number(b.configured) - Number(a.configured))
      .map((provider): Candidate => [provider.type, providerState(provider)]);
  },
  help: { one: 'Provider, such as openai', several: 'Providers' },
};
