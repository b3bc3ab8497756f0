import type { TextProps } from 'ink';
import { createContext } from 'react';
import type { Style, Tone } from './line.ts';

type Look = Pick<TextProps, 'color' | 'dimColor' | 'bold'>;
export type Theme = Record<Tone, Look>;

/** Colours of the terminal's own palette, which its owner can read on both light and dark. */
export const colouredTheme: Theme = {
  muted: { dimColor: true },
  accent: { color: 'cyan' },
  person: { color: 'cyan', bold: true },
  good: { color: 'green' },
  bad: { color: 'red' },
  warning: { color: 'yellow' },
  heading: { color: 'magenta', bold: true },
  code: { color: 'green' },
  link: { color: 'blue' },
  keyword: { color: 'magenta' },
  string: { color: 'green' },
  number: { color: 'yellow' },
  name: { color: 'cyan' },
};

/** For `NO_COLOR`; words and marks distinguish what colours would. */
export const plainTheme: Theme = {
  muted: { dimColor: true },
  accent: {},
  person: { bold: true },
  good: {},
  bad: { bold: true },
  warning: { bold: true },
  heading: { bold: true },
  code: {},
  link: {},
  keyword: {},
  string: {},
  number: {},
  name: {},
};

export const ThemeContext = createContext(colouredTheme);

/** The Ink props of a style. */
export function lookOf(theme: Theme, style: Style): TextProps {
  const { tone, isBold, isItalic, isUnderlined, isStruck, isInverse } = style;
  return {
    ...(tone && theme[tone]),
    ...(isBold && { bold: true }),
    ...(isItalic && { italic: true }),
    ...(isUnderlined && { underline: true }),
    ...(isStruck && { strikethrough: true }),
    ...(isInverse && { inverse: true }),
  };
}
