import { perReader } from './reader.ts';

const numbers = perReader(({ locale }) => new Intl.NumberFormat(locale));

/** 1204 as 1,204, in the language of the reader. */
export const formatNumber = (value: number): string => numbers().format(value);
