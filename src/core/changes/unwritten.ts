import type { FileChangeRow } from '../storage/rows/file-changes.ts';
import { beforeOf, isSameState } from './file-state.ts';
import { stateAt } from './restore-file.ts';

/** Leaves out changes that a killed daemon had announced but not made: the file still is as it was before. */
export async function withoutUnwritten(rows: readonly FileChangeRow[]): Promise<FileChangeRow[]> {
  const written: FileChangeRow[] = [];
  for (const row of rows) {
    const isUnwritten =
      row.is_done === 0 && row.path !== null && isSameState(await stateAt(row.path), beforeOf(row));
    if (!isUnwritten) written.push(row);
  }
  return written;
}
