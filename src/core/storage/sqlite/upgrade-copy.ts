import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { syncDirectory } from '../private-file.ts';

/** Pages of a step, between which other work can run and the progress is reported. */
const PAGES = 100;

/** Copies the database to `<file>.before-<migration>`, which gets its name when it is whole and on the disk. */
export async function copyBeforeMigration(
  native: DatabaseSync,
  file: string,
  migration: string,
  report: (pages: number, total: number) => void,
): Promise<void> {
  const copy = `${file}.before-${migration}`;
  const partial = `${copy}.partial`;
  const removePartial = () => removeFiles(partial, `${partial}-journal`);
  try {
    removePartial();
    closeSync(openSync(partial, 'wx', 0o600));
    report(0, 0);
    await backup(native, partial, {
      rate: PAGES,
      progress: ({ totalPages, remainingPages }) => report(totalPages - remainingPages, totalPages),
    });
    // Left by an older svc that was killed while it copied; SQLite would apply it to this copy.
    removeFiles(`${copy}-journal`);
    renameSync(partial, copy);
    syncDirectory(dirname(copy));
  } catch (error) {
    removePartial();
    throw error;
  }
}

/** Whether a file next to the database is a copy from before an upgrade, or a part of one that was not finished. */
export const isUpgradeCopy = (name: string, databaseFile: string): boolean =>
  name.startsWith(`${basename(databaseFile)}.before-`);

function removeFiles(...paths: string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}
