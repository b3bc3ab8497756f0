import { formatNumber } from './format-number.ts';
/** `1 line`, `1,204 lines`; for nouns with a plain plural. */
export const counted = (count: number, noun: string): string =>
  `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
