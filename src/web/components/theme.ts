const root = document.documentElement;

export type Theme = 'light' | 'dark';

/** The theme that was chosen in this browser; undefined where it follows the system. */
export const chosenTheme = (): Theme | undefined => root.dataset['theme'] as Theme | undefined;

/** Uses a theme from now on, or follows the system again. */
export function chooseTheme(theme: Theme | undefined): void {
  if (theme === undefined) {
    localStorage.removeItem('theme');
    delete root.dataset['theme'];
  } else {
    localStorage.setItem('theme', theme);
    root.dataset['theme'] = theme;
  }
}

/** Calls the listener whenever another theme was chosen. */
export function onThemeChosen(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(root, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
