/** The backoff that the rig's daemon runs with, in milliseconds; retries are held against it. */
export const backoffMs = 20;
