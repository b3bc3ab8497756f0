/** Rows per step, small enough for other writes in between. */
const BATCH = 500;
/** Steps per call, so that a stop never waits long for a large backlog. */
const MAX_STEPS = 100;

/** Repeats a step, which is one write, until it finds less than `limit`. `hasMore` if it stopped before that. */
export async function inBatches(
  step: (limit: number) => Promise<number>,
  limit = BATCH,
  maxSteps = MAX_STEPS,
): Promise<{ taken: number; hasMore: boolean }> {
  let taken = 0;
  for (let n = 0; n < maxSteps; n++) {
    const found = await step(limit);
    taken += found;
    if (found < limit) return { taken, hasMore: false };
  }
  return { taken, hasMore: true };
}
