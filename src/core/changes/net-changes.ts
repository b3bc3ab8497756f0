import type { FileChangeRow } from '../storage/rows/file-changes.ts';
import { afterOf, beforeOf, type FileState, isSameState } from './file-state.ts';

/** What several changes of a file come to. */
export interface NetChange {
  path: string;
  /** As it was before the first one and after the last one; undefined where there was no file. */
  before: FileState | undefined;
  after: FileState | undefined;
  /** Whether something else changed the file between them. */
  isMixed: boolean;
  rows: FileChangeRow[];
}

/** The net change of each path, sorted by path; files that are as they were before are left out. */
export function netChanges(rows: readonly FileChangeRow[]): NetChange[] {
  const byPath = Map.groupBy(
    rows.filter(({ path }) => path !== null),
    ({ path }) => path ?? '',
  );
  const changes = [...byPath].flatMap(([path, changed]): NetChange[] => {
    const [first] = changed;
    const last = changed.at(-1);
    if (!first || !last) return [];
    const isMixed = changed.some((row, at) => {
      const earlier = changed[at - 1];
      return earlier !== undefined && !isSameState(afterOf(earlier), beforeOf(row));
    });
    return [{ path, before: beforeOf(first), after: afterOf(last), isMixed, rows: changed }];
  });
  return changes
    .filter(({ before, after }) => !isSameState(before, after))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
