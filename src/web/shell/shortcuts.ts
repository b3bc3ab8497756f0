import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { pages } from './pages.ts';

/** How long the second key of a pair may take. */
const PAIR_MS = 1500;

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

/** Whether single keys do something; a person may switch them off (WCAG 2.1.4). */
export const areKeysOn = (): boolean => localStorage.getItem('keys') !== 'off';
export const switchKeys = (isOn: boolean): void => localStorage.setItem('keys', isOn ? 'on' : 'off');

/** Handles the keys of every page. */
export function useShortcuts({
  isOn,
  open,
}: {
  isOn: boolean;
  open: (what: 'palette' | 'keys') => void;
}): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!isOn) return;
    let goAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key === 'k' && (ctrlKey || metaKey) && !altKey) {
        event.preventDefault();
        return open('palette');
      }
      if (ctrlKey || metaKey || altKey || isTyping(target) || !areKeysOn()) return;
      if (document.querySelector('dialog[open]')) return;
      const page = event.timeStamp - goAt < PAIR_MS ? pages.find((each) => each.key === key) : undefined;
      goAt = key === 'g' ? event.timeStamp : -Infinity;
      if (page) void navigate({ to: page.path });
      else if (key === '?') open('keys');
      else if (key === 'c' && location.pathname === '/tasks') void navigate({ to: '/tasks/new' });
      else if (key === '/') {
        const search = document.querySelector<HTMLInputElement>('main input[type=search]');
        if (!search) return;
        event.preventDefault();
        search.focus();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOn, open, navigate]);
}
