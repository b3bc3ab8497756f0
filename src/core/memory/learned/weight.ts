const FIRST = 1;
const MOST = 2;
const SHARE_OF_A_USE = 0.1;
const DAY_MS = 86_400_000;

export const firstWeight = FIRST;

/** Each use takes a tenth of what is left to 2, so that the first ones count most. */
export const usedWeight = (weight: number): number =>
  Math.min(MOST, weight + SHARE_OF_A_USE * (MOST - weight));

/** The weight `now`, halved once per half-life since it was as given; a clock that was set back changes nothing. */
export function decayedWeight(weight: number, weighedAt: string, now: Date, halfLifeDays: number): number {
  const days = Math.max(0, now.getTime() - Date.parse(weighedAt)) / DAY_MS;
  return weight * 0.5 ** (days / halfLifeDays);
}

/**
 * How far up an experience comes: by how well it fits, of which its weight makes up to 5 % more or less. So weight decides
 * among those that fit about as well, and a heavy one that does not fit beats none that does.
 */
export const fitness = (score: number, weight: number): number => score * (1 + 0.05 * (weight - firstWeight));
