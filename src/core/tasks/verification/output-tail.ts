import { createHash } from 'node:crypto';

/** The end of an output that is kept. */
export const TAIL_BYTES = 8192;

/** Keeps the end of an output and hashes all of it, in constant memory. */
export class OutputTail {
  readonly #hash = createHash('sha256');
  #tail = Buffer.alloc(0);
  #isCut = false;

  push(chunk: Buffer): void {
    this.#hash.update(chunk);
    const joined = Buffer.concat([this.#tail, chunk]);
    if (joined.length > TAIL_BYTES) this.#isCut = true;
    // Copied, because a part would keep the whole buffer alive.
    this.#tail = Buffer.from(joined.subarray(-TAIL_BYTES));
  }

  /** Call it once, at the end. */
  finish(): { outputTail: string; outputHash: string } {
    let start = 0;
    // The kept part may begin in the middle of a character.
    while (this.#isCut && start < 3 && ((this.#tail[start] ?? 0) & 0xc0) === 0x80) start++;
    return { outputTail: this.#tail.toString('utf8', start), outputHash: this.#hash.digest('hex') };
  }
}
