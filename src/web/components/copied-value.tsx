import { useState } from 'react';
import styles from './copied-value.module.css';
import { copyText } from './copy-text.ts';
import { Icon } from './icon.tsx';

/** A value to take along, such as an address or a secret that is shown once. */
export function CopiedValue({ value, name }: { value: string; name: string }) {
  const [said, setSaid] = useState('');
  return (
    <div className={styles['value']}>
      <code tabIndex={0} role="group" aria-label={name}>
        {value}
      </code>
      <button
        type="button"
        className="button"
        aria-label={`Copy ${name}`}
        onClick={() =>
          void copyText(value).then((isCopied) => setSaid(isCopied ? 'Copied.' : 'Select it to copy.'))
        }
      >
        <Icon name="copy" /> Copy
      </button>
      <span className="muted" role="status">
        {said}
      </span>
    </div>
  );
}
