/** The wall time of an agentic session, from its message to its last event. */
export const SESSION_MS = 3 * 60_000;
