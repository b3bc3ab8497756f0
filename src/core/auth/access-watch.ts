import type { EventBus } from '../events.ts';
import type { Caller } from './caller.ts';

/**
 * Calls `onEnd` when the session or token of the caller ends or the rights of the user change. Long-lived streams need
 * this, because a caller is resolved only at the start of a request. Returns the function that unsubscribes.
 */
export function watchAccess(bus: EventBus, caller: Caller, onEnd: () => void): () => void {
  const subscriptions = [
    bus.on('session_ended', ({ sessionHash }) => {
      if (sessionHash === caller.sessionHash) onEnd();
    }),
    bus.on('token_ended', ({ tokenId }) => {
      if (tokenId === caller.token?.id) onEnd();
    }),
    bus.on('rights_changed', ({ userId }) => {
      if (userId === caller.userId) onEnd();
    }),
  ];
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  };
}
