import { useState } from 'react';
import type { Setting } from '../../../../contract/config.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { Item } from '../../../components/items.tsx';
import { changeSetting } from '../../../queries/config.ts';
import { useFocusBack } from '../use-focus-back.ts';
import { SettingForm } from './setting-form.tsx';
import { settingText } from './setting-text.ts';
import styles from './setting-item.module.css';

/** A setting with its value and where that comes from. One that the environment or the command line sets cannot be changed here. */
export function SettingItem({ setting }: { setting: Setting }) {
  const { key, value, origin, description, isSecret, pending } = setting;
  const [isOpen, setOpen] = useState(false);
  const button = useFocusBack(isOpen);
  const isFixed = origin === 'environment' || origin === 'flag';
  const isSet = origin === 'settings' || pending !== undefined;
  const shown = (what: Setting['value']) =>
    isSecret && typeof what === 'string' ? 'set' : escapeLine(settingText(what));
  return (
    <Item
      title={<code className={styles['key']}>{key}</code>}
      note={
        <>
          {description}
          <span className={styles['value']}>
            <strong>{shown(value)}</strong>
            {originText(setting)}
            {pending !== undefined && ` After a restart: ${shown(pending)}.`}
          </span>
        </>
      }
      actions={
        !isFixed && (
          <>
            <button
              ref={button}
              type="button"
              className="button"
              aria-expanded={isOpen}
              aria-label={`Change ${key}`}
              onClick={() => setOpen(!isOpen)}
            >
              Change
            </button>
            {isSet && (
              <ActButton className="quiet" label={`Reset ${key}`} run={() => changeSetting(key, null)}>
                Reset
              </ActButton>
            )}
          </>
        )
      }
    >
      {isOpen && !isFixed && <SettingForm setting={setting} onClose={() => setOpen(false)} />}
    </Item>
  );
}

function originText({ origin, environment = '', default: usual, value, isSecret }: Setting): string {
  if (origin === 'environment') return ` Set by the environment variable ${environment}.`;
  if (origin === 'flag') return ' Set on the command line of the daemon.';
  if (origin === 'default') return usual === null ? '' : ' The default.';
  const isShown = !isSecret && usual !== null && JSON.stringify(usual) !== JSON.stringify(value);
  return isShown ? ` The default is ${settingText(usual)}.` : '';
}
