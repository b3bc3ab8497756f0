import { InvalidArgumentError } from 'commander';
import { closest } from './closest.ts';
import { parseDuration } from './duration.ts';

/** Reads a whole number. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number.');
}

/** Reads a number that is not negative, such as 0.5. */
export function decimal(text: string): number {
  if (/^(\d{1,9}(\.\d{0,15})?|\.\d{1,15})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number such as 0.5.');
}

/** Reads a duration; answers milliseconds. */
export function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0 && ms < 2 ** 31) return ms;
  throw new InvalidArgumentError('Expected a duration such as 30s, 5m, 1h or 500ms.');
}

/** Gathers the values of an option that may be given several times. */
export const gather = (value: string, earlier: string[] = []): string[] => [...earlier, value];

/** Reads one of these words, and says which one was probably meant by another. */
export const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (text: string): Word => {
    const known = words.find((word) => word === text);
    if (known !== undefined) return known;
    const meant = closest(text, words);
    throw new InvalidArgumentError(
      meant === undefined ? `Allowed choices are ${words.join(', ')}.` : `Did you mean ${meant}?`,
    );
  };
