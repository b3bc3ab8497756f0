import type { EventBus } from '../events.ts';
import type { Caller } from './caller.ts';

/**
 * Calls back once what lets the caller in has ended or changed: the session, the token, or the rights of the user. What
 * goes on for long asks this, because a caller is looked up only when it begins. Answers how to stop.
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
