import { createContext, Script } from 'node:vm';

const MEGABYTE = 1024 * 1024;
/** What takes this long at a megabyte is not linear: linear patterns need milliseconds, quadratic ones hours. */
const TIMEOUT_MS = 20_000;
const run = new Script(
  'pattern.global ? text.replace(pattern, "").length : pattern.sticky ? pattern.test(text) : text.search(pattern)',
);

const context = createContext({});

/** Repeats what makes a pattern start again and again, up to a megabyte, before an end that it does not match. */
export const pump = (unit: string, { prefix = '', suffix = '\0' } = {}): string =>
  prefix + unit.repeat(Math.ceil(MEGABYTE / Math.max(1, unit.length))) + suffix;

/** Whether a pattern reads all of a text; it is stopped where it would take for ever. */
export function canRead(pattern: RegExp, text: string, timeout = TIMEOUT_MS): boolean {
  try {
    run.runInContext(Object.assign(context, { pattern, text }), { timeout });
    return true;
  } catch (error) {
    // It comes from the realm of the context, so it is no instance of our Error.
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

/** Texts of which a pattern would start at every letter: those of its own letters, and those of its classes. */
export function pumpsOf(source: string): string[] {
  const bare = source.replaceAll(/\\[bB]|\(\?(?:<?[=!]|:|<\w+>)|\{\d*,?\d*\}/g, '');
  const letters = bare
    .replaceAll(/\\s/g, '\t')
    .replaceAll(/\\[wd]|\\[pP]\{[^}]*\}|\\u\{?[0-9a-fA-F]+\}?|\\x../g, '0')
    .replaceAll(/\\n/g, '\n')
    .replaceAll(/\\r/g, '\r')
    .replaceAll(/\\(.)/g, '$1');
  const words = letters.match(/[\w\s<:/.-]{2,40}/g) ?? [];
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, 2);
  const single = [...new Set(letters.replaceAll(/[()|*+?^$]/g, ''))].slice(0, 3);
  const marks = [...new Set(letters)].filter((letter) => /[^\w()|+*?^$\]]/.test(letter)).slice(0, 3);
  return [...new Set([...longest, ...single, ...marks, 'a', '\t', 'a ', '?', '/'])];
}
