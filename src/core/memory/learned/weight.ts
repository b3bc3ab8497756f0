const FIRST = 1;
const MAX = 2;
const SHARE_OF_A_USE = 0.1;
const DAY_MS = 86_400_000;

export const firstWeight = FIRST;

/** Each use adds a tenth of the remaining distance to 2, so the first uses count most. */
export const usedWeight = (weight: number): number => Math.min(MAX, weight + SHARE_OF_A_USE * (MAX - weight));

/** The weight decayed by its half-life; a clock set back changes nothing. */
export function decayedWeight(weight: number, weighedAt: string, now: Date, halfLifeDays: number): number {
  const days = Math.max(0, now.getTime() - Date.parse(weighedAt)) / DAY_MS;
  return weight * 0.5 ** (days / halfLifeDays);
}

/**
 * Ranks an experience by its score, adjusted by its weight by up to 5 %: the weight only decides between similar
 * scores.
 */
export const fitness = (score: number, weight: number): number => score * (1 + 0.05 * (weight - firstWeight));
