import type { SyncResult } from '../../../contract/memory.ts';

/** What a sync did; its caller knows how long it took. */
export type SyncOutcome = Omit<SyncResult, 'durationMs'>;
