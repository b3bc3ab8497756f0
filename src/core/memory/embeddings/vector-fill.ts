import type { Log } from '../../log.ts';
import type { IndexClient } from '../index/index-client.ts';
import type { Embedder } from './embedder.ts';

export interface VectorFillParts {
  embedder: Embedder;
  index: Pick<IndexClient, 'call' | 'isRunning'>;
  log: Log;
}

/** Gives every text of the index its vector: in batches, each text once, again after a failure, anew for another model. */
export class VectorFill {
  readonly #parts: VectorFillParts;
  constructor(parts: VectorFillParts) {
    this.#parts = parts;
  }

  /** Why vectors could not be made at the last try; undefined when they could. */
  get failure(): string | undefined {
    void this.#parts;
    return undefined;
  }

  /** Something may be missing: begins unless it is at it. */
  wake(): void {}

  /** Resolves when nothing is missing, or the provider failed; tells how many of how many are done. */
  async filled(_onProgress: (done: number, total: number) => void, _signal: AbortSignal): Promise<void> {}

  async stop(): Promise<void> {}
}
