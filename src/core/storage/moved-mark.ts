import type { Kysely } from 'kysely';
import { AppError } from '../errors.ts';
import type { Schema } from './schema.ts';
import { readState } from './state.ts';

/** The key in the state of a database whose data was copied elsewhere. */
export const MOVED_TO = 'moved_to';

interface MovedMark {
  /** Names the other database. */
  to: string;
  at: string;
  /** What the user does next: from here, and to go back. */
  engine: 'postgres' | 'sqlite';
}

/** The mark of a database whose data is in another one from now on. */
export const movedMark = (mark: MovedMark): string => JSON.stringify(mark);

/** Throws `configuration` for a database whose data was copied elsewhere: what happened there since would be missing here. */
export async function requireNotMoved(db: Kysely<Schema>): Promise<void> {
  refuseMoved(await readState(db, MOVED_TO));
}

/** The same for a mark that was read, if there is one. */
export function refuseMoved(mark: string | undefined): void {
  if (mark === undefined) return;
  const { to, at, engine } = JSON.parse(mark) as MovedMark;
  const next =
    engine === 'postgres'
      ? 'Start svc in mode pro with that database (SVC_MODE=pro, DATABASE_URL), or copy the data back: svc storage copy --to sqlite'
      : 'Start svc there in mode mini (SVC_MODE=mini), or copy the data to a new PostgreSQL database: svc storage copy --to postgres';
  throw new AppError(
    'configuration',
    `The data of this database was copied to ${to} on ${at.slice(0, 10)}, and svc continues there. ${next}. To use this database as it was before the copy: svc storage reopen`,
  );
}
