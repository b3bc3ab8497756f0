/** The lower-case name of a program without directory and version: `/usr/bin/Python3.11` is `python`. */
export function programName(word: string): string {
  const name = (word.split('/').at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  const version = /(?<![\d.])[\d.]+$/.exec(name)?.[0].replace(/^\.+/, '') ?? '';
  if (version === '') return name;
  return name.slice(0, -version.length).replace(/-$/, '') || name;
}

/** Whether an argument is one of the long options or an abbreviation of one, with or without a value. */
export const hasLong = (args: readonly string[], ...options: string[]): boolean =>
  args.some((arg) => {
    const [name = ''] = arg.split('=');
    return (
      name.length > 2 && name.startsWith('--') && options.some((option) => `--${option}`.startsWith(name))
    );
  });

/** Whether one of the letters is in a group of short options. */
export const hasShort = (args: readonly string[], letters: string): boolean =>
  args.some((arg) => /^-[^-]/.test(arg) && letters.split('').some((letter) => arg.includes(letter)));

/** Whether an argument is exactly one of the words, with or without a value after `=`. */
export const hasWord = (args: readonly string[], ...words: string[]): boolean =>
  args.some((arg) => words.includes(arg.split('=')[0] ?? ''));

/** The words of a whitespace-separated list as a set. */
export const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));
