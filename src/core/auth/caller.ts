import type { Scope } from '../../contract/scopes.ts';
import type { Role } from '../../contract/users.ts';
import { AppError } from '../errors.ts';

/** Who makes a request: always a user, through a session, an API token, or as the owner of this machine. */
export interface Caller {
  userId: string;
  /** What the session may do at most; through a token nobody is an administrator. */
  role: Role;
  /** SHA-256 of the session's token; absent where no session is needed. */
  sessionHash?: string;
  sessionId?: string;
  /** The paired device whose session this is. */
  deviceId?: string;
  /** Present when an API token was sent instead of a session. */
  token?: { id: string; scopes: readonly Scope[] };
}

/** The role that a row holds; anything unknown gives the fewest rights. */
export const roleOf = ({ role }: { role: string }): Role => (role === 'admin' ? 'admin' : 'user');

export const isAdmin = (caller: Caller): boolean => caller.role === 'admin';

/**
 * An agent that needs command rights runs programs as the daemon's user, so only an administrator may give it work, or a token to which
 * one gave that scope.
 */
export const mayRunCommands = (caller: Caller): boolean =>
  caller.token ? caller.token.scopes.includes('agents:command') : isAdmin(caller);

/** Throws `forbidden` unless the caller may run commands. */
export function requireCommandRights(caller: Caller): void {
  if (mayRunCommands(caller)) return;
  throw new AppError(
    'forbidden',
    caller.token
      ? 'This token may not run commands: it needs the scope agents:command'
      : 'Only an administrator may run commands',
  );
}

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
