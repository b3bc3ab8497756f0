import { existsSync, readFileSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { writePrivateFile } from '../storage/private-file.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { ownerId } from './owner.ts';
import type { SessionService } from './session-service.ts';

interface OwnerDeps {
  database: Database;
  sessions: SessionService;
  runtime: Runtime;
  daemon: DaemonIdentity;
  /** Holds only the token, with mode 0600: a user who can read the file is signed in. */
  sessionFile: string;
}

/** Local mode: ensures that the owner exists as a user and that the session file holds a valid session. */
export async function ensureOwner(deps: OwnerDeps): Promise<void> {
  const { database, sessions, daemon, runtime, sessionFile } = deps;
  const stored = await findOwner(database);
  if (!stored)
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
        // Another daemon of the cluster may have been faster.
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute(),
    );
  else if (stored.disabled_at !== null) await setDisabled(database, null);
  const token = existsSync(sessionFile) ? readFileSync(sessionFile, 'utf8').trim() : '';
  if (token !== '' && (await sessions.resolve(token))) return;
  const client = daemon.isInCluster ? { userAgent: `svc ${daemon.id}` } : {};
  writePrivateFile(sessionFile, (await sessions.create({ userId: ownerId, kind: 'owner', client })).token);
}

/** Cloud mode has accounts only: disables the owner of an earlier local mode. */
export async function retireOwner({ database, sessions, runtime, sessionFile }: OwnerDeps): Promise<void> {
  rmSync(sessionFile, { force: true });
  const stored = await findOwner(database);
  if (!stored || stored.disabled_at !== null) return;
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
    // In a container the user may have no name.
    return 'owner';
  }
}
