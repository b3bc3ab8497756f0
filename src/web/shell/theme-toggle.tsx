import { useSyncExternalStore } from 'react';
import { Icon } from '../components/icon.tsx';
import { chooseTheme, chosenTheme, onThemeChosen } from '../components/theme.ts';

const system = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (chosenTheme() ?? (system.matches ? 'dark' : 'light')) === 'dark';

function onChange(listener: () => void) {
  const stop = onThemeChosen(listener);
  system.addEventListener('change', listener);
  return () => {
    stop();
    system.removeEventListener('change', listener);
  };
}

/** Follows the system until somebody chooses. */
export function ThemeToggle() {
  const dark = useSyncExternalStore(onChange, isDark);
  return (
    <button
      type="button"
      className="button quiet icon"
      onClick={() => chooseTheme(dark ? 'light' : 'dark')}
      aria-label={dark ? 'Use the light theme' : 'Use the dark theme'}
    >
      <Icon name={dark ? 'sun' : 'moon'} />
    </button>
  );
}
