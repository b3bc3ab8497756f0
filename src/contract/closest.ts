/** The candidate that was probably meant, or undefined where none is near. */
export const closest = (word: string, candidates: readonly string[]): string | undefined =>
  nearest(word, candidates)[0];

/** The candidates that may have been meant, most probable first: those near the word, then those that contain it. */
export function closestOf(word: string, candidates: readonly string[], most = 3): string[] {
  const containing = candidates.filter((candidate) => candidate.toLowerCase().includes(word.toLowerCase()));
  return [...new Set([...nearest(word, candidates), ...containing])].slice(0, most);
}

const nearest = (word: string, candidates: readonly string[]): string[] =>
  candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate);

/** Counts inserted, deleted, replaced and swapped letters (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const cell = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          cell(i - 1, j) + 1,
          cell(i, j - 1) + 1,
          cell(i - 1, j - 1) + cost,
          isSwap ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return cell(a.length, b.length);
}
