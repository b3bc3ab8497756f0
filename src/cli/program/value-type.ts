import { InvalidArgumentError } from 'commander';
import type { Cli } from './cli.ts';
import { closest } from '../../contract/closest.ts';
import { parseDuration } from '../../contract/duration.ts';

/** A word, and what it means. */
export type Candidate = readonly [word: string, meaning: string];

/** What a completion can use. */
export interface CompletionRequest {
  signal: AbortSignal;
  /** The arguments and options that stand before, by their names. */
  values: ReadonlyMap<string, string>;
}

/** What an argument or an option takes: how a word is read, and what it could be completed to. */
export interface ValueType<Value = unknown> {
  parse(text: string): Value;
  /** The words to choose from; with a title, the help lists what they mean. */
  choices?: { words: readonly Candidate[]; title?: string };
  /** Looks up what a word could be completed to, where the choices are not known in advance. */
  suggest?(cli: Cli, request: CompletionRequest): Promise<readonly Candidate[]>;
  /** What the help says about an argument of this type, unless the command says more. */
  help?: { one: string; several: string };
}

/** Takes any text. */
export const text: ValueType<string> = { parse: (word) => word };

export const wholeNumber: ValueType<number> = {
  parse(word) {
    if (/^\d{1,15}$/.test(word)) return Number(word);
    throw new InvalidArgumentError('Expected a whole number.');
  },
};

/** Takes a number that is not negative. */
export const decimal: ValueType<number> = {
  parse(word) {
    if (/^(\d{1,9}(\.\d{0,15})?|\.\d{1,15})$/.test(word)) return Number(word);
    throw new InvalidArgumentError('Expected a number such as 0.5.');
  },
};

/** Takes names of fields, separated by commas; a dot leads into an object. */
export const fieldPaths: ValueType<string[]> = {
  parse(word) {
    const paths = word.split(',').map((path) => path.trim());
    if (paths.every((path) => /^[^.\s]+(\.[^.\s]+)*$/.test(path))) return paths;
    throw new InvalidArgumentError('Expected names of fields such as id,error.message.');
  },
};

/** Takes a duration such as 5m; the value is in milliseconds. */
export const duration: ValueType<number> = {
  parse(word) {
    const ms = parseDuration(word);
    if (ms !== undefined && ms > 0 && ms < 2 ** 31) return ms;
    throw new InvalidArgumentError('Expected a duration such as 30s, 5m, 1h or 500ms.');
  },
};

interface ChoiceOptions<Word extends string> {
  /** What the words mean, for the completion. */
  meanings?: Readonly<Record<Word, string>>;
  /** The heading under which the help lists the meanings. */
  title?: string;
  /** What users read and type instead of a word of the API; that word is accepted as well. */
  aliases?: Partial<Readonly<Record<Word, string>>>;
  /** True where every other text goes to the daemon, which may know more words, or takes a list of them. */
  isOpen?: boolean;
}

/** Takes one of these words. */
export function choice<const Word extends string>(
  words: readonly Word[],
  { meanings, title, aliases, isOpen = false }: ChoiceOptions<Word> = {},
): ValueType<Word> {
  const shownAs = (word: Word): string => aliases?.[word] ?? word;
  const shown = words.map(shownAs);
  const find = (typed: string) => words.find((word) => typed === word || typed === shownAs(word));
  return {
    parse(typed) {
      const known = find(aliases ? typed.toLowerCase() : typed);
      if (known !== undefined) return known;
      if (isOpen)
        return typed
          .split(',')
          .map((part) => find(part.trim()) ?? part)
          .join(',') as Word;
      const meant = closest(typed, shown);
      throw new InvalidArgumentError(
        meant === undefined ? `Allowed choices are ${shown.join(', ')}.` : `Did you mean ${meant}?`,
      );
    },
    choices: {
      words: words.map((word) => [shownAs(word), meanings?.[word] ?? '']),
      ...(title !== undefined && { title }),
    },
  };
}

/** Takes any text, with suggestions from the daemon or this machine. */
export const suggested = (
  suggest: NonNullable<ValueType['suggest']>,
  help?: ValueType['help'],
): ValueType<string> => ({ ...text, suggest, ...(help && { help }) });
