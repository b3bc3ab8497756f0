import type { CallOptions } from '../../contract/client.ts';

/** For requests that the daemon answers when it has been through all of its data: it may be silent for half an hour. */
export const longCall = { silenceMs: 30 * 60_000 } as const satisfies CallOptions;
