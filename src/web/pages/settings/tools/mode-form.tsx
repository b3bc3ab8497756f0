import { useState } from 'react';
import { modeMeanings } from '../../../../contract/mode-meanings.ts';
import type { SecurityMode } from '../../../../contract/security-mode.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { changePolicy } from '../../../queries/policy.ts';
import styles from '../settings.module.css';

const modes = Object.entries(modeMeanings) as [SecurityMode, string][];

/** Chooses the mode, each with what it means. The one that never asks is confirmed first. */
export function ModeForm({ mode }: { mode: SecurityMode }) {
  const [isAsked, setAsked] = useState(false);
  const submit = async (data: FormData) => {
    const chosen = formText(data, 'defaultMode') as SecurityMode;
    if (chosen === 'full' && mode !== 'full') setAsked(true);
    else await changePolicy({ defaultMode: chosen });
  };
  return (
    <>
      <Form submit="Save" onSubmit={submit}>
        <fieldset>
          <legend className="visually-hidden">Security mode</legend>
          {modes.map(([name, meaning]) => (
            <label key={name} className={styles['choice']}>
              <input type="radio" name="defaultMode" value={name} defaultChecked={name === mode} />
              <span>
                {name}
                {name === mode && <span className="muted"> · in use</span>}
              </span>
              <small>{meaning}</small>
            </label>
          ))}
        </fieldset>
      </Form>
      {isAsked && (
        <ConfirmDialog
          title="Never ask before a tool runs?"
          verb="Use mode full"
          run={() => changePolicy({ defaultMode: 'full' })}
          onClose={() => setAsked(false)}
        >
          <p>
            In mode full, agents run commands and change files without a decision of yours. Blocked tools and
            guards still apply.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
