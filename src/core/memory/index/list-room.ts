import type { PointList } from './word-points.ts';

/**
 * Room for lists that is used again: thrown away, it would come to several times of what is kept before somebody
 * collects it.
 */
export class ListRoom {
  readonly #most: number;
  /** By the power of two that their lengths are. */
  readonly #free = new Map<number, PointList[]>();
  #size = 0;

  /** Keeps room for this many entries of lists at most. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Arrays of at least this length, with anything in them. */
  take(length: number): PointList {
    const power = Math.max(4, Math.ceil(Math.log2(length)));
    const free = this.#free.get(power)?.pop();
    if (free) this.#size -= 2 ** power;
    return free ?? { ids: new Uint32Array(2 ** power), points: new Float32Array(2 ** power) };
  }

  /** Takes back what `take` gave, of which nothing is used any more; parts of it are fine. */
  giveBack({ ids, points }: PointList): void {
    const length = ids.buffer.byteLength / ids.BYTES_PER_ELEMENT;
    if (this.#size + length > this.#most) return;
    const power = Math.log2(length);
    const whole = { ids: new Uint32Array(ids.buffer), points: new Float32Array(points.buffer) };
    this.#free.set(power, [...(this.#free.get(power) ?? []), whole]);
    this.#size += length;
  }
}
