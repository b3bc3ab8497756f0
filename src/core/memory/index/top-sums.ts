import type { PointList } from './word-points.ts';

/** Ids are summed up in stretches, so that it takes the same memory however large they are. */
const STRETCH = 65_536;

export interface Sum {
  id: number;
  points: number;
}

/**
 * The ids with the largest sums over all lists, of which each is in the order of its ids; and how many ids there are.
 * `isWanted` is asked for each of them.
 */
export function topSums(
  lists: PointList[],
  limit: number,
  isWanted?: (id: number) => boolean,
): { ranked: Sum[]; total: number } {
  const sums = new Float64Array(STRETCH);
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
        const place = (ids[at] ?? 0) - first;
        if (place >= STRETCH) break;
        sums[place] = (sums[place] ?? 0) + (points[at] ?? 0);
        if (place > last) last = place;
      }
      positions[index] = at;
    }
    for (let place = 0; place <= last; place++) {
      const points = sums[place] ?? 0;
      if (points === 0 || (isWanted && !isWanted(first + place))) continue;
      total++;
      best.offer(first + place, points);
    }
  }
}

/** The best so far, among others that are thrown away now and then. */
class Best {
  readonly #limit: number;
  #offered: Sum[] = [];
  #least = 0;
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Ids come in their order: of two that are equal, the earlier one is better. */
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
