import { useSyncExternalStore } from 'react';

const dark = matchMedia('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', listener);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', listener);
  };
}

/** Changes with the colors of the page, for what is painted and does not follow the style sheet by itself. */
export const useTheme = (): string =>
  useSyncExternalStore(subscribe, () => `${document.documentElement.dataset['theme'] ?? ''} ${dark.matches}`);

/** The color of a token as the browser shows it inside an element now. */
export function colorOf(inside: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${token})`;
  inside.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
