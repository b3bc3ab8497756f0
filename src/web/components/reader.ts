import type { User } from '../../contract/users.ts';

/** How numbers and moments are written; what is missing is that of the browser. */
interface Reader {
  locale?: string | undefined;
  timeZone?: string | undefined;
}

let reader: Reader = {};

/** Writes numbers and moments from now on as the profile of the person says. */
export function setReader({ locale, timezone: timeZone }: Pick<User, 'locale' | 'timezone'>): void {
  reader = {};
  try {
    new Intl.DateTimeFormat(locale, { timeZone });
    reader = { locale, timeZone };
  } catch (error) {
    // The daemon may know more of them than this browser.
    if (!(error instanceof RangeError)) throw error;
  }
}

/** The language in which the person reads numbers and moments; unset for that of the browser. */
export const readerLocale = (): string | undefined => reader.locale;

/** The time zone in which the person reads moments. */
export const readerTimeZone = (): string =>
  reader.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A formatter for the reader, made once for each reader: making one takes longer than using it. */
export function perReader<T>(make: (reader: Reader) => T): () => T {
  let made: { value: T; reader: Reader } | undefined;
  return () => {
    if (made?.reader !== reader) made = { value: make(reader), reader };
    return made.value;
  };
}
