import type { ModelProvider } from '../../../../contract/providers.ts';
import { Items } from '../../../components/items.tsx';
import { ProviderItem } from './provider-item.tsx';

/** The providers that are set up. */
export const ProviderList = ({
  providers,
  usual,
}: {
  providers: readonly ModelProvider[];
  usual: string | undefined;
}) =>
  providers.length > 0 && (
    <Items label="Providers">
      {providers.map((provider) => (
        <ProviderItem key={provider.type} provider={provider} isDefault={provider.type === usual} />
      ))}
    </Items>
  );
