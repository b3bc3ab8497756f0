import { useSyncExternalStore } from 'react';
import { live } from './live-feed.ts';

/** Whether the daemon cannot be reached now: what is shown stays, what would change something has to wait. */
export const useAway = (): boolean => useSyncExternalStore(live.onState, live.state) === 'away';
