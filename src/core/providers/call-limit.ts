/** The most tools that one answer may call. */
export const MAX_CALLS = 128;

/** An answer calls more tools than anybody could follow. */
export class TooManyCalls extends Error {}
