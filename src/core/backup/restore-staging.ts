import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Locations } from '../../contract/locations.ts';

/** Begins the names of the directories that a backup is unpacked into. */
export const STAGING_PREFIX = '.restore-';

/** Where a file goes whose place a restored one takes. */
export const keptPath = (path: string, stamp: string): string =>
  join(dirname(path), `before-restore-${stamp}`, basename(path));

/**
 * The mark by which a daemon finds processes that it left behind is the one of the home that is replaced, never the one of
 * the backup: the home that this was made of may be in use on the same machine.
 */
export function prepareDatabase(
  file: string,
  { replacedFile, isPaused }: { replacedFile?: string; isPaused: boolean },
): void {
  const installation =
    replacedFile !== undefined && existsSync(replacedFile) ? readInstallation(replacedFile) : undefined;
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma trusted_schema = off; delete from state where key = 'installation'");
    const put = database.prepare('insert or replace into state (key, value) values (?, ?)');
    if (installation !== undefined) put.run('installation', installation);
    if (isPaused) put.run('queue_paused', 'true');
  } finally {
    database.close();
  }
}

/** A database that is damaged or from long ago has none to offer, and may be why a backup is restored. */
function readInstallation(file: string): string | undefined {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const row = database.prepare("select value from state where key = 'installation'").get();
      return row === undefined ? undefined : String(row['value']);
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** The time in the names of this restore: 2026-11-23T08-30-00Z, numbered where that is taken. */
export function freeStamp({ data, config }: Locations, now: Date): string {
  const base = `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
  const isTaken = (stamp: string) =>
    [data, config].some((directory) => existsSync(join(directory, `before-restore-${stamp}`)));
  let stamp = base;
  for (let number = 2; isTaken(stamp); number++) stamp = `${base}-${number}`;
  return stamp;
}

/** Removes what a restore that was killed before it changed anything has unpacked. */
export function removeLeft({ data, config }: Locations): void {
  for (const directory of new Set([data, config]))
    for (const name of readdirSync(directory))
      if (name.startsWith(STAGING_PREFIX)) rmSync(join(directory, name), { recursive: true, force: true });
}
