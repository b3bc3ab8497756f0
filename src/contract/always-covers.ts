const NOTHING = 'nothing: ';

/** Why a call needs an approval each time, from what `allow-always` covers of it; undefined where that covers anything. */
export const whyEachTime = (alwaysCovers: string): string | undefined =>
  alwaysCovers.startsWith(NOTHING) ? alwaysCovers.slice(NOTHING.length) : undefined;
