import { perReader } from '../../components/reader.ts';

const short = perReader(
  ({ locale }) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
);

/** "24 Nov"; days are those of UTC, as the daemon counts them. */
export const formatDay = (date: string | number): string => short().format(new Date(date));
