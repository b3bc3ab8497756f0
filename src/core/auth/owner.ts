import type { Caller } from './caller.ts';

/** The user of local mode: the owner of the machine. */
export const ownerId = 'user_owner';
export const owner: Caller = { userId: ownerId, role: 'admin' };
