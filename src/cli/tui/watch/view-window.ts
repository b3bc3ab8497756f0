/** Which rows are seen: the first one, kept as it was unless that would hide the row that matters. */
export function windowAround(at: number, count: number, height: number, first: number): number {
  const last = Math.max(0, count - height);
  const lowest = Math.max(0, at - height + 1);
  return Math.min(last, Math.max(lowest, Math.min(first, Math.max(0, at))));
}

/** Where reading goes on; undefined is the end, which moves on by itself. */
export function scrolled(
  top: number | undefined,
  by: number,
  { count, height }: { count: number; height: number },
): number | undefined {
  const last = Math.max(0, count - height);
  const to = Math.max(0, (top ?? last) + by);
  return to >= last ? undefined : to;
}
