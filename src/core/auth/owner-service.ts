import { existsSync, readFileSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { writePrivateFile } from '../storage/private-file.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { ownerId } from './owner.ts';
import type { SessionService } from './session-service.ts';

interface OwnerDeps {
  database: Database;
  sessions: SessionService;
  runtime: Runtime;
  /** Mode 0600, the token alone: who can read it is signed in on this machine. */
  sessionFile: string;
}

/** Local mode: makes sure that the owner is a user, and that the file beside the database holds a session of theirs. */
export async function ensureOwner(deps: OwnerDeps): Promise<void> {
  const { database, sessions, runtime, sessionFile } = deps;
  const known = await findOwner(database);
  if (!known)
    await database.write(({ db }) =>
      db
        .insertInto('users')
        .values({
          id: ownerId,
          email: 'owner@localhost',
          name: systemUserName(),
          role: 'admin',
          onboarding_completed: 0,
          created_at: runtime.now().toISOString(),
        })
        .execute(),
    );
  else if (known.disabled_at !== null) await setDisabled(database, null);
  const token = existsSync(sessionFile) ? readFileSync(sessionFile, 'utf8').trim() : '';
  if (token !== '' && (await sessions.resolve(token))) return;
  writePrivateFile(sessionFile, (await sessions.create({ userId: ownerId, kind: 'owner' })).token);
}

/** Cloud mode knows accounts only: the owner of an earlier local mode is shut out. */
export async function retireOwner({ database, sessions, runtime, sessionFile }: OwnerDeps): Promise<void> {
  rmSync(sessionFile, { force: true });
  const known = await findOwner(database);
  if (!known || known.disabled_at !== null) return;
  await setDisabled(database, runtime.now().toISOString());
  await database.write(async (transaction) => {
    await sessions.endMatching(transaction, { userId: ownerId });
  });
}

const findOwner = (database: Database) =>
  database.read.selectFrom('users').select('disabled_at').where('id', '=', ownerId).executeTakeFirst();

async function setDisabled(database: Database, at: string | null): Promise<void> {
  await database.write(({ db }) =>
    db.updateTable('users').set({ disabled_at: at }).where('id', '=', ownerId).execute(),
  );
}

function systemUserName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container a user may have a number only.
    return 'owner';
  }
}
