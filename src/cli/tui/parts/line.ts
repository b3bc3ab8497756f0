import { escapeText } from '../../output/escape-text.ts';
import { textWidth } from '../../output/text-width.ts';

/** What a text means; the theme says how that looks. */
export type Tone =
  | 'muted'
  | 'accent'
  | 'person'
  | 'good'
  | 'bad'
  | 'warning'
  | 'heading'
  | 'code'
  | 'link'
  | CodeTone;
/** What a word of highlighted code is. */
export type CodeTone = 'keyword' | 'string' | 'number' | 'name';

export interface Style {
  tone?: Tone;
  isBold?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
  isStruck?: boolean;
  isInverse?: boolean;
}

/** A piece of one line, without control characters. */
export interface Span {
  text: string;
  style?: Style | undefined;
  /** In the first piece of a row: it continues the row above, which was too long. */
  isContinued?: true;
}

/** One row of the terminal. */
export type Line = readonly Span[];

/** Makes data safe to show: control characters become visible, tabs become spaces, newlines stay. */
export const cleanText = (text: string): string => escapeText(text).replaceAll('\t', '    ');

export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + textWidth(text), 0);

/** What a line says, without how it looks. */
export const lineText = (line: Line): string => line.map(({ text }) => text).join('');

/** Puts a prefix before lines: one before the first, another before the others, none in the middle of a broken one. */
export const prefixLines = (lines: readonly Line[], first: Span, others: Span = first): Line[] =>
  lines.map((line, at): Line => {
    if (line[0]?.isContinued) return line;
    const prefix = at === 0 ? first : others;
    return line.length === 0 && prefix.text.trim() === '' ? [] : [prefix, ...line];
  });
