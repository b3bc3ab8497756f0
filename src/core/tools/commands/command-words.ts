/** The name of a program without its folder, its version and its case: `/usr/bin/Python3.11` is `python`. */
export function programName(word: string): string {
  const name = (word.split('/').at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  return name.replace(/-?\d[\d.]*$/, '') || name;
}

/** Whether one of the arguments is one of the long options, or the abbreviation of one, with or without a value. */
export const hasLong = (args: readonly string[], ...options: string[]): boolean =>
  args.some((arg) => {
    const [name = ''] = arg.split('=');
    return (
      name.length > 2 && name.startsWith('--') && options.some((option) => `--${option}`.startsWith(name))
    );
  });

/** Whether one of the letters is in a cluster of short options. */
export const hasShort = (args: readonly string[], letters: string): boolean =>
  args.some((arg) => /^-[^-]/.test(arg) && letters.split('').some((letter) => arg.includes(letter)));

/** Whether one of the arguments is exactly one of the words, or one of the words with a value behind a `=`. */
export const hasWord = (args: readonly string[], ...words: string[]): boolean =>
  args.some((arg) => words.includes(arg.split('=')[0] ?? ''));

export const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));
