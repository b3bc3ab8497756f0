import type { PointList } from './word-points.ts';

/** Sums are computed in windows of ids, so that memory is constant. */
const WINDOW = 65_536;

export interface Sum {
  id: number;
  points: number;
}

/**
 * The ids with the largest sums over all lists, each sorted by id, and the number of matching ids. `isAllowed` filters
 * ids.
 */
export function topSums(
  lists: PointList[],
  limit: number,
  isAllowed?: (id: number) => boolean,
): { ranked: Sum[]; total: number } {
  const sums = new Float64Array(WINDOW);
  const positions = lists.map(() => 0);
  const best = new Best(limit);
  let total = 0;
  for (;;) {
    const first = Math.min(...lists.map(({ ids }, at) => ids[positions[at] ?? 0] ?? Infinity));
    if (first === Infinity) return { ranked: best.take(), total };
    sums.fill(0);
    let last = 0;
    for (const [index, { ids, points }] of lists.entries()) {
      let at = positions[index] ?? 0;
      for (; at < ids.length; at++) {
        const offset = (ids[at] ?? 0) - first;
        if (offset >= WINDOW) break;
        sums[offset] = (sums[offset] ?? 0) + (points[at] ?? 0);
        if (offset > last) last = offset;
      }
      positions[index] = at;
    }
    for (let offset = 0; offset <= last; offset++) {
      const points = sums[offset] ?? 0;
      if (points === 0 || (isAllowed && !isAllowed(first + offset))) continue;
      total++;
      best.offer(first + offset, points);
    }
  }
}

/** The best sums so far; the rest is dropped now and then. */
class Best {
  readonly #limit: number;
  #offered: Sum[] = [];
  #least = 0;
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Ids arrive in ascending order, so on a tie the earlier one wins. */
  offer(id: number, points: number): void {
    if (points <= this.#least) return;
    this.#offered.push({ id, points });
    if (this.#offered.length >= 4 * this.#limit + 100) {
      this.#offered = this.take();
      this.#least = this.#offered[this.#limit - 1]?.points ?? 0;
    }
  }

  take(): Sum[] {
    return this.#offered.toSorted((a, b) => b.points - a.points || a.id - b.id).slice(0, this.#limit);
  }
}
