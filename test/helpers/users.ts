import { type Client, createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import type { Caller } from '../../src/core/auth/caller.ts';
import type { TestDaemon } from './daemon.ts';

export interface TestUser {
  caller: Caller;
  headers: { cookie: string };
  client: Client;
}

/** Adds a user, signed in. */
export async function addUser(
  { app, url }: TestDaemon,
  name: string,
  role: 'user' | 'admin' = 'user',
): Promise<TestUser> {
  const id = `user_${name}`;
  await app.database.write(({ db }) =>
    db
      .insertInto('users')
      .values({
        id,
        email: `${name}@example.org`,
        name,
        role,
        onboarding_completed: 0,
        created_at: new Date().toISOString(),
      })
      .execute(),
  );
  const { token } = await app.sessions.create({ userId: id, kind: 'sign-in' });
  const headers = { cookie: `${sessionCookie}=${token}` };
  return {
    caller: { userId: id, role },
    headers,
    client: createClient(contract, { baseUrl: url, fetch: (to, init) => fetch(to, init), headers }),
  };
}
