import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import styles from './menu.module.css';

export interface MenuItem {
  icon: IconName;
  name: string;
  /** What is said once it is done, if anything. */
  run: () => Promise<string | void> | string | void;
  isDangerous?: boolean;
}

const SAID_MS = 4000;

/** What is needed less often, behind a button. */
export function Menu({ items, label = 'More actions' }: { items: readonly MenuItem[]; label?: string }) {
  const list = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const choose = async ({ run }: MenuItem) => {
    close();
    setSaid((await run()) ?? '');
  };
  return (
    <div
      className={styles['menu']}
      onBlur={({ currentTarget, relatedTarget }: FocusEvent) =>
        !currentTarget.contains(relatedTarget) && setOpen(false)
      }
      onKeyDown={({ key }: KeyboardEvent) => key === 'Escape' && isOpen && close()}
    >
      <button
        ref={button}
        type="button"
        className="button icon"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={list}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="ellipsis" />
      </button>
      <span role="status" className={styles['said']}>
        {said}
      </span>
      {isOpen && (
        <ul id={list} role="list">
          {items.map((item) => (
            <li key={item.name}>
              <button
                type="button"
                className={`button quiet ${item.isDangerous ? styles['danger'] : ''}`}
                onClick={() => void choose(item)}
              >
                <Icon name={item.icon} /> {item.name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
