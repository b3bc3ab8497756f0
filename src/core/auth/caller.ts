import { AppError } from '../errors.ts';

/** Who makes a request: always a user, through a session of theirs or as the owner of this machine. */
export interface Caller {
  userId: string;
  role: 'user' | 'admin';
  /** SHA-256 of the session's token; absent where no session is needed. */
  sessionHash?: string;
}

export const isAdmin = (caller: Caller): boolean => caller.role === 'admin';

/** The command agent runs anything as the daemon's user, so only an administrator may give it work. */
export const mayRunCommands = (caller: Caller): boolean => isAdmin(caller);

/** The one ownership check: what belongs to somebody else is not there, except for administrators. */
export function requireOwned<T extends { owner_id: string }>(
  caller: Caller,
  row: T | undefined,
  what: string,
): T {
  if (row && (isAdmin(caller) || row.owner_id === caller.userId)) return row;
  throw new AppError('not_found', `${what} not found`);
}

/** Whose objects a list may show: everybody's for an administrator, else the caller's own. */
export const visibleOwner = (caller: Caller): string | undefined =>
  isAdmin(caller) ? undefined : caller.userId;
