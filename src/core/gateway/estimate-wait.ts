/** A run that exceeds the average is expected to finish after this share of the average. */
const OVERTIME_SHARE = 0.1;

/**
 * Whole milliseconds until a task starts that `ahead` others precede, where every run takes the average and those under
 * way have taken `elapsed` of it; 0 where a worker is free for it.
 */
export function estimateWait({
  ahead,
  elapsed,
  concurrency,
  average,
}: {
  ahead: number;
  elapsed: number[];
  concurrency: number;
  average: number;
}): number {
  const left = elapsed.map((ms) => Math.max(average - ms, average * OVERTIME_SHARE, 1));
  // When each worker is free; the first that is takes the next task.
  const free = Array.from({ length: concurrency }, (_, worker) => left[worker] ?? 0).sort((a, b) => a - b);
  const rounds = Math.floor(ahead / concurrency);
  return Math.round((free[ahead % concurrency] ?? 0) + rounds * average);
}
