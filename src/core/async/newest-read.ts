/** Reads of one thing that may overlap: what one of them finds counts unless a later one has been answered already. */
export class NewestRead {
  #begun = 0;
  #answered = 0;

  /** What the read finds; undefined where something newer is known by then. Rejects as the read does. */
  async newest<T extends {}>(read: () => Promise<T>): Promise<T | undefined> {
    const number = ++this.#begun;
    const found = await read();
    // A later read has newer data, even if it finishes first.
    if (number < this.#answered) return undefined;
    this.#answered = number;
    return found;
  }

  /** What is known now is newer than what the reads under way find. */
  outdate(): void {
    this.#answered = ++this.#begun;
  }
}
