/** What a heap holds: it writes down where the item is, so that the item can be taken out again. */
export interface HeapItem {
  position: number;
}

/** A binary heap whose items can also be removed from its middle; every operation takes O(log n) comparisons. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Removes an item that is in this heap. */
  remove(item: T): void {
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#sink(last, this.#rise(last, item.position));
  }

  #rise(item: T, from: number): number {
    let position = from;
    while (position > 0) {
      const above = (position - 1) >> 1;
      const parent = this.#items[above];
      if (!parent || !this.#isBefore(item, parent)) break;
      this.#put(parent, position);
      position = above;
    }
    return this.#put(item, position);
  }

  #sink(item: T, from: number): void {
    let position = from;
    for (;;) {
      const left = this.#items[2 * position + 1];
      const right = this.#items[2 * position + 2];
      const child = left && right && this.#isBefore(right, left) ? right : left;
      if (!child || !this.#isBefore(child, item)) break;
      const below = child.position;
      this.#put(child, position);
      position = below;
    }
    this.#put(item, position);
  }

  #put(item: T, position: number): number {
    this.#items[position] = item;
    item.position = position;
    return position;
  }
}
