/** The usual constant of reciprocal rank fusion: lower ranks weigh a little less. */
const CONSTANT = 60;
const BEST = 2 / (CONSTANT + 1);

/** Reciprocal rank fusion of two rankings: 1 for the first in both, less for a hit in only one. */
export function fusedScore(rank: number | undefined, otherRank: number | undefined): number {
  const part = (value: number | undefined) => (value === undefined ? 0 : 1 / (CONSTANT + value));
  return (part(rank) + part(otherRank)) / BEST;
}
