import { AppError } from '../../errors.ts';

/** Numbers in a block, as the sequence `task_seq` counts. */
export const BLOCK = 1000;
/** Blocks in advance at most, and how few are left when more are fetched. */
const IN_ADVANCE = 4;
const FEW = 2;

/**
 * Hands out sequence numbers of tasks at once, from blocks that were fetched in advance. The numbers of a daemon rise;
 * those of two daemons are not in the order in which the tasks were created, and a daemon that stops leaves a gap.
 */
export class TaskNumbers {
  readonly #fetchBlocks: (count: number) => Promise<number[]>;
  readonly #blocks: number[] = [];
  #next = 0;
  #end = 0;
  #filling: Promise<void> | undefined;

  /** `fetchBlocks` resolves to the first numbers of blocks that no other daemon gets. */
  constructor(fetchBlocks: (count: number) => Promise<number[]>) {
    this.#fetchBlocks = fetchBlocks;
  }

  /** Fetches blocks so that there are enough in advance; rejects where the database does. */
  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => (this.#filling = undefined));
    return this.#filling;
  }

  next(): number {
    if (this.#next === this.#end) {
      const first = this.#blocks.shift();
      // The next create tries again.
      if (this.#blocks.length < FEW) this.fill().catch(() => undefined);
      if (first === undefined)
        throw new AppError('unavailable', 'The database cannot be used right now. Try again.');
      this.#next = first;
      this.#end = first + BLOCK;
    }
    return this.#next++;
  }

  async #fill(): Promise<void> {
    this.#blocks.push(...(await this.#fetchBlocks(IN_ADVANCE - this.#blocks.length)));
  }
}
