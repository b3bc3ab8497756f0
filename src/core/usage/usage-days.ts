/** The day of a time in UTC, such as `2026-03-01`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
