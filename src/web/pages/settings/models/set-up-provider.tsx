import { useId, useState } from 'react';
import type { ModelProvider } from '../../../../contract/providers.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { ProviderForm } from './provider-form.tsx';
import styles from '../settings.module.css';

/** Sets up one of the providers that svc knows. */
export function SetUpProvider({ providers }: { providers: readonly ModelProvider[] }) {
  const id = useId();
  const [type, setType] = useState('');
  const [isOpen, setOpen] = useState(false);
  const chosen = providers.find((provider) => provider.type === type) ?? providers[0];
  if (!chosen) return null;
  return (
    <div className={styles['line']}>
      <label htmlFor={id}>Another provider</label>
      <select id={id} value={chosen.type} onChange={({ target }) => setType(target.value)}>
        {providers.map((provider) => (
          <option key={provider.type} value={provider.type}>
            {provider.name}
          </option>
        ))}
      </select>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Set up {chosen.name}
      </button>
      {isOpen && (
        <Dialog title={`Set up ${chosen.name}`} onClose={() => setOpen(false)}>
          <ProviderForm provider={chosen} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </div>
  );
}
