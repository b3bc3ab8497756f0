import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { pages } from './pages.ts';
import { areKeysOn } from './shortcuts.ts';
import styles from './shortcut-help.module.css';

interface Shortcut {
  keys: string;
  does: string;
}

/** The keys that work on every page, for the list of keys. */
const shortcuts: readonly Shortcut[] = [
  { keys: 'Ctrl K', does: 'Search pages, tasks and actions' },
  ...pages.flatMap(({ key, name }) => (key ? [{ keys: `g ${key}`, does: `Go to ${name}` }] : [])),
  { keys: '/', does: 'Search on the page' },
  { keys: 'j  k', does: 'Next and previous row' },
  { keys: 'Enter', does: 'Open the row' },
  { keys: 'x', does: 'Select the row' },
  { keys: 'c', does: 'New task, on the page of tasks' },
  { keys: 'a  d', does: 'Choose allow or deny on an approval; Enter decides' },
  { keys: '?', does: 'Show these keys' },
];

/** The list of keys, and the switch for those that need no other key. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areKeysOn);
  const change = (on: boolean) => {
    localStorage.setItem('keys', on ? 'on' : 'off');
    setOn(on);
  };
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className={styles['keys']}>
        {shortcuts.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className={styles['switch']}>
        <input type="checkbox" checked={isOn} onChange={({ target }) => change(target.checked)} />
        Use single keys
      </label>
      <button type="button" className="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}
