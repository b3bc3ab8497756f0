import { useEffect, useRef } from 'react';
import { areKeysOn, isTyping } from '../../shell/shortcuts.ts';

export interface ListKeys {
  /** To a row before or after the current one, or to the first or the last. */
  move: (to: 1 | -1 | 'first' | 'last') => void;
  select?: () => void;
  /** Leaves what is open beside the list. */
  close: () => void;
}

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, k: -1 };
const arrows: Readonly<Record<string, Parameters<ListKeys['move']>[0]>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: 'first',
  End: 'last',
};

/** The keys of a list: j and k everywhere on the page, arrows on its rows, where they are expected. */
export function useListKeys(keys: ListKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      const isOnRow = target instanceof Element && target.closest('[data-row]') !== null;
      const arrow = isOnRow ? arrows[key] : undefined;
      const step = areKeysOn() ? steps[key] : undefined;
      const to = arrow ?? step;
      if (to !== undefined) latest.current.move(to);
      else if (key === 'x' && areKeysOn() && latest.current.select) latest.current.select();
      else if (key === 'Escape') return latest.current.close();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
