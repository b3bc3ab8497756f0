import type { Scope } from '../../contract/scopes.ts';
import type { ApiToken } from '../../contract/tokens.ts';
import type { Role } from '../../contract/users.ts';
import type { PendingEntry } from '../audit/pending-entry.ts';
import { AppError } from '../errors.ts';

/** Who makes a request: always a user, through a session, an API token, or as the owner of this machine. */
export interface Caller {
  userId: string;
  /** The upper limit of the rights; an API token never acts as an administrator. */
  role: Role;
  /** SHA-256 of the session's token; absent where no session is needed. */
  sessionHash?: string;
  sessionId?: string;
  /** The paired device whose session this is. */
  deviceId?: string;
  /** Whether that device may only look, decide and cancel. */
  isLimited?: true;
  /** Present when an API token was sent instead of a session. */
  token?: { id: string; scopes: readonly Scope[] } & Pick<
    ApiToken,
    'models' | 'requestsPerMinute' | 'tokensPerMinute'
  >;
  /** What the audit log will say of the request; present where the change has to take it along. */
  auditEntry?: PendingEntry;
}

/** The role of a row; an unknown value gets the fewest rights. */
export const roleOf = ({ role }: { role: string }): Role => (role === 'admin' ? 'admin' : 'user');

export const isAdmin = (caller: Caller): boolean => caller.role === 'admin';

/**
 * Whether the caller may use agents that run programs as the daemon's user: an administrator, or a token to which one
 * granted the scope.
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

/** The one ownership check: objects of other users do not exist for anyone but administrators. */
export function requireOwned<T extends { owner_id: string }>(
  caller: Caller,
  row: T | undefined,
  what: string,
): T {
  if (row && (isAdmin(caller) || row.owner_id === caller.userId)) return row;
  throw new AppError('not_found', `${what} not found`);
}

/** The owner whose objects a list may show; undefined for an administrator, who sees those of all users. */
export const visibleOwner = (caller: Caller): string | undefined =>
  isAdmin(caller) ? undefined : caller.userId;
