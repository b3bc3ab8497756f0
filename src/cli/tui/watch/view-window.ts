/** Which rows are seen: the first one, kept as it was unless that would hide the row that matters. */
export function windowAround(at: number, count: number, height: number, first: number): number {
  const last = Math.max(0, count - height);
  const lowest = Math.max(0, at - height + 1);
  return Math.min(last, Math.max(lowest, Math.min(first, Math.max(0, at))));
}
