import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Locations } from '../../contract/locations.ts';
import { AppError } from '../errors.ts';
import { lockDataDirectory } from '../storage/data-lock.ts';
import { syncDirectory, writePrivateFile } from '../storage/private-file.ts';

const move = z.object({ from: z.string(), to: z.string() });
const journalSchema = z.object({
  /** What is there goes out of the way first. */
  keep: z.array(move),
  /** Then what was unpacked gets its place. */
  place: z.array(move),
  /** Directories that are empty then. */
  remove: z.array(z.string()),
});
/** The moves of a restore. From the moment it is written, the restored home is the one that counts. */
export type RestoreJournal = z.output<typeof journalSchema>;

export const journalFileOf = ({ data }: Pick<Locations, 'data'>): string => join(data, 'restore.json');

/** Writes the journal and makes its moves. A process that is killed in between leaves the rest to `finishRestore`. */
export function commitRestore(locations: Locations, journal: RestoreJournal): void {
  writePrivateFile(journalFileOf(locations), `${JSON.stringify(journal)}\n`);
  followJournal(locations, journal);
}

/** Finishes a restore that was interrupted, before anything reads the home; resolves to whether there was one. */
export async function finishRestore(locations: Locations): Promise<boolean> {
  if (!existsSync(journalFileOf(locations))) return false;
  const lock = await lockDataDirectory(join(locations.data, 'daemon.lock'));
  try {
    return followStored(locations);
  } finally {
    lock.release();
  }
}

/** The same for a caller that holds the lock of the data directory. */
export function followStored(locations: Locations): boolean {
  const file = journalFileOf(locations);
  // Another process may have finished it meanwhile.
  if (!existsSync(file)) return false;
  followJournal(locations, parseJournal(file));
  return true;
}

/** Every move is made once, however often this begins: a file is only kept where none was kept before. */
function followJournal(locations: Locations, { keep, place, remove }: RestoreJournal): void {
  for (const { from, to } of keep)
    if (existsSync(from) && !existsSync(to)) {
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      renameSync(from, to);
    }
  syncAround([...keep]);
  for (const { from, to } of place) if (existsSync(from)) renameSync(from, to);
  syncAround([...place]);
  rmSync(journalFileOf(locations));
  syncDirectory(locations.data);
  for (const directory of remove) rmSync(directory, { recursive: true, force: true });
}

function syncAround(moves: RestoreJournal['keep']): void {
  const directories = new Set(moves.flatMap(({ from, to }) => [dirname(from), dirname(to)]));
  for (const directory of directories) if (existsSync(directory)) syncDirectory(directory);
}

function parseJournal(file: string): RestoreJournal {
  try {
    return journalSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new AppError('configuration', `${file} cannot be read, so a restore cannot be finished.`, {
      cause: error,
    });
  }
}
