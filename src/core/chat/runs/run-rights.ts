import { roleOf } from '../../auth/caller.ts';
import type { UserStore } from '../../auth/user-store.ts';

/** Whether all of the users are administrators now; rights revoked after a run was created do not apply to it. */
export async function areAdmins(users: UserStore, ...userIds: string[]): Promise<boolean> {
  for (const id of new Set(userIds)) {
    const user = await users.find(id);
    if (user === undefined || roleOf(user) !== 'admin' || user.disabled_at !== null) return false;
  }
  return true;
}
