import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Database } from '../storage/database.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Caller } from './caller.ts';
import type { SessionService } from './session-service.ts';

/** The user of local mode: whoever owns the machine. */
const ownerId = 'user_owner';
export const owner: Caller = { userId: ownerId, role: 'admin' };

/** Makes sure that the owner is a user, and that the file beside the database holds a session of theirs. */
export async function ensureOwner(parts: {
  database: Database;
  sessions: SessionService;
  surroundings: Surroundings;
  /** Mode 0600, the token alone: who can read it is signed in on this machine. */
  sessionFile: string;
}): Promise<void> {
  const { database, sessions, surroundings, sessionFile } = parts;
  const isKnown = await database.read
    .selectFrom('users')
    .select('id')
    .where('id', '=', ownerId)
    .executeTakeFirst();
  if (!isKnown)
    await database.write(({ db }) =>
      db
        .insertInto('users')
        .values({
          id: ownerId,
          email: 'owner@localhost',
          name: userInfo().username,
          role: 'admin',
          created_at: surroundings.now().toISOString(),
        })
        .execute(),
    );
  const known = existsSync(sessionFile) ? readFileSync(sessionFile, 'utf8').trim() : '';
  if (known !== '' && (await sessions.resolve(known))) return;
  const { token } = await sessions.create(ownerId, 'owner');
  writePrivately(sessionFile, token);
}

function writePrivately(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, 'w', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
}
