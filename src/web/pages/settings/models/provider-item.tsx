import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { providerState } from '../../../../contract/provider-state.ts';
import type { ConfigureModelProvider, ModelProvider } from '../../../../contract/providers.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Item } from '../../../components/items.tsx';
import { Menu, type MenuItem } from '../../../components/menu.tsx';
import { StateBadge, type Tone } from '../../../components/state-badge.tsx';
import { Ago } from '../../../components/time.tsx';
import { refreshProviders } from '../../../queries/providers.ts';
import { useFocusBack } from '../use-focus-back.ts';
import { CheckProvider } from './check-provider.tsx';
import { ModelTable } from './model-table.tsx';
import { ProviderForm } from './provider-form.tsx';
import styles from '../settings.module.css';

const tones: Record<string, Tone> = { healthy: 'good', unhealthy: 'bad', 'not configured': 'needs-you' };

/** A provider with its state and what can be done with it. */
export function ProviderItem({ provider, isDefault }: { provider: ModelProvider; isDefault: boolean }) {
  const { type, name, enabled, apiKey, custom } = provider;
  const [open, setOpen] = useState<'form' | 'models'>();
  const button = useFocusBack(open === 'form');
  const [asked, setAsked] = useState<'key' | 'server' | 'disable'>();
  const state = providerState(provider);
  const shown = escapeLine(name);
  const change = async (body: ConfigureModelProvider) => {
    await client.providers.configure({ params: { type }, body });
    await refreshProviders();
  };
  const items: MenuItem[] = [
    {
      icon: 'rows-3',
      name: open === 'models' ? 'Hide models' : 'Show models',
      run: () => setOpen(open === 'models' ? undefined : 'models'),
    },
    enabled
      ? { icon: 'pause', name: 'Disable', run: () => setAsked('disable') }
      : { icon: 'play', name: 'Enable', run: () => change({ enabled: true }).then(() => 'Enabled.') },
  ];
  if (apiKey !== undefined)
    items.push({ icon: 'key-round', name: 'Remove the key', isDangerous: true, run: () => setAsked('key') });
  if (custom)
    items.push({
      icon: 'trash-2',
      name: 'Remove the server',
      isDangerous: true,
      run: () => setAsked('server'),
    });
  return (
    <Item
      title={shown}
      badge={
        <>
          <StateBadge tone={tones[state] ?? 'calm'}>{state}</StateBadge>
          {isDefault && <span className="muted">default</span>}
        </>
      }
      note={<ProviderNote provider={provider} />}
      actions={
        <>
          <CheckProvider type={type} name={shown} />
          <button
            ref={button}
            type="button"
            className="button"
            aria-expanded={open === 'form'}
            aria-label={`Edit ${shown}`}
            onClick={() => setOpen(open === 'form' ? undefined : 'form')}
          >
            Edit
          </button>
          <Menu items={items} label={`More actions for ${shown}`} />
        </>
      }
    >
      {open === 'form' && (
        <div className={styles['details']}>
          <ProviderForm provider={provider} onClose={() => setOpen(undefined)} />
        </div>
      )}
      {open === 'models' && <ModelTable type={type} />}
      {asked === 'disable' && (
        <ConfirmDialog
          title={`Disable ${shown}?`}
          verb="Disable"
          run={() => change({ enabled: false })}
          onClose={() => setAsked(undefined)}
        >
          <p>Its models answer nothing until you enable it again. Its key stays.</p>
        </ConfirmDialog>
      )}
      {asked === 'key' && (
        <ConfirmDialog
          title={`Remove the key of ${shown}?`}
          verb="Remove the key"
          run={() => change({ apiKey: null })}
          onClose={() => setAsked(undefined)}
        >
          <p>Tasks and chats that use its models fail until it has a new key.</p>
        </ConfirmDialog>
      )}
      {asked === 'server' && (
        <ConfirmDialog
          title={`Remove ${shown}?`}
          verb="Remove"
          run={async () => {
            await client.providers.remove({ params: { type }, query: { force: isDefault } });
            await refreshProviders();
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>
            The server and its key are removed from svc.
            {isDefault && ' It is the default: until you choose another one, there is none.'}
          </p>
        </ConfirmDialog>
      )}
    </Item>
  );
}

function ProviderNote({ provider }: { provider: ModelProvider }) {
  const { healthy, message, apiKey, baseUrl, defaultModel, healthCheckedAt } = provider;
  const facts = [
    apiKey === undefined ? 'No key' : `Key ${apiKey}`,
    baseUrl,
    defaultModel && `Model ${defaultModel}`,
  ].filter((fact) => fact !== undefined && fact !== '');
  return (
    <>
      {!healthy && message !== undefined && <p className="error">{escapeLine(message)}</p>}
      {escapeLine(facts.join(' · '))}
      {healthCheckedAt !== undefined && (
        <>
          {' · seen '}
          <Ago at={healthCheckedAt} />
        </>
      )}
    </>
  );
}
