import type { UserStore } from '../../auth/user-store.ts';
import { ownerId } from '../../auth/owner.ts';
import { roleOf } from '../../auth/caller.ts';
import type { Config } from '../../config/config.ts';

/**
 * The owner of a task created by a delivery: the user with the e-mail address, else the owner of the machine or the first
 * administrator. Undefined if there is none.
 */
export async function findInboundOwner(
  { users, config }: { users: UserStore; config: Config },
  email: string | undefined,
): Promise<string | undefined> {
  const named = email === undefined ? undefined : await users.findByEmail(email.toLowerCase());
  if (named?.disabled_at === null) return named.id;
  if (config.get('system.authMode') === 'local') return ownerId;
  const known = await users.list();
  return known.find((user) => roleOf(user) === 'admin' && user.disabled_at === null)?.id;
}
