/** Parses Retry-After (RFC 9110, section 10.2.3): seconds or a date; undefined if it is invalid. */
export function readRetryAfter(value: string | null | undefined, now: number): number | undefined {
  if (value === null || value === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined;
}
