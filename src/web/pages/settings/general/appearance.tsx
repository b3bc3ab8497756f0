import { useState, useSyncExternalStore } from 'react';
import { Check } from '../../../components/form/form.tsx';
import { chooseTheme, chosenTheme, onThemeChosen, type Theme } from '../../../components/theme.ts';
import { areKeysOn, switchKeys } from '../../../shell/shortcuts.ts';
import styles from '../../../components/form/form.module.css';

const themes: readonly (readonly [Theme | undefined, string])[] = [
  [undefined, 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** The theme, and whether single keys do something; both take effect at once. */
export function Appearance() {
  const theme = useSyncExternalStore(onThemeChosen, chosenTheme);
  const [areOn, setOn] = useState(areKeysOn);
  return (
    <div className={styles['form']}>
      <fieldset>
        <legend>Theme</legend>
        {themes.map(([value, name]) => (
          <Check key={name}>
            <input type="radio" name="theme" checked={theme === value} onChange={() => chooseTheme(value)} />
            {name}
          </Check>
        ))}
      </fieldset>
      <div>
        <Check>
          <input
            type="checkbox"
            checked={areOn}
            onChange={({ target }) => {
              switchKeys(target.checked);
              setOn(target.checked);
            }}
          />
          Single keys, such as j and k
        </Check>
        <p className="muted">Ctrl K works either way. The key ? lists all of them.</p>
      </div>
    </div>
  );
}
