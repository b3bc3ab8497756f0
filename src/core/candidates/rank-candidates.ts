import type { Task } from '../../contract/task.ts';

/** The candidates that completed, the best first: those that changed files, with fewer repairs, with fewer changed lines. */
export function rankCandidates(candidates: readonly Task[]): Task[] {
  return candidates
    .filter(({ status }) => status === 'completed')
    .toSorted(
      (a, b) =>
        Number(hasChanges(b)) - Number(hasChanges(a)) ||
        repairsOf(a) - repairsOf(b) ||
        linesOf(a) - linesOf(b),
    );
}

/** Why the first of the ranked candidates is the first. */
export function whyFirst([first, second]: readonly Task[]): string {
  if (!first || !second) return 'the only candidate that completed';
  if (hasChanges(first) !== hasChanges(second)) return 'the only candidate that changed files';
  if (repairsOf(first) !== repairsOf(second))
    return `verified after fewer repairs: ${repairsOf(first)}, the next one after ${repairsOf(second)}`;
  if (linesOf(first) !== linesOf(second))
    return `fewest changed lines: ${linesOf(first)}, the next one ${linesOf(second)}`;
  return 'the first of several equal candidates';
}

/** The candidates that did not complete, the one that came furthest first. */
export function rankFailures(candidates: readonly Task[]): Task[] {
  const rank = ({ status, error, result }: Task) =>
    status === 'cancelled'
      ? 3
      : error?.class === 'verify_failed'
        ? 0
        : (result?.changes?.files ?? 0) > 0
          ? 1
          : 2;
  return candidates.filter(({ status }) => status !== 'completed').toSorted((a, b) => rank(a) - rank(b));
}

const hasChanges = ({ result }: Task) => (result?.changes?.files ?? 0) > 0;
const repairsOf = ({ result }: Task) => (result?.verification?.rounds ?? 1) - 1;
const linesOf = ({ result }: Task) => (result?.changes?.additions ?? 0) + (result?.changes?.deletions ?? 0);
