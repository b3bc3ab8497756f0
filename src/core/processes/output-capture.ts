import { completeLength, continuationLength } from '../text/utf8-pieces.ts';

export interface CaptureOptions {
  /** The total of bytes that are kept: half from the start, half from the end. */
  limitBytes: number;
}

/** Collects the output of a program: all of it if it is short, otherwise its start and end with a marker between. */
export class OutputCapture {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #droppedBytes = 0;

  constructor({ limitBytes }: CaptureOptions) {
    this.#half = Math.floor(limitBytes / 2);
  }

  push(chunk: Buffer): void {
    const room = this.#half - this.#headBytes;
    if (room > 0) this.#keepHead(chunk.subarray(0, room));
    if (chunk.length > room) this.#keepTail(chunk.subarray(Math.max(0, room)));
  }

  /** Returns everything that was kept; call it once, at the end. */
  finish(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const kept = tail.subarray(Math.max(0, tail.length - this.#half));
    const dropped = this.#droppedBytes + tail.length - kept.length;
    if (dropped === 0) return Buffer.concat([head, kept]).toString('utf8');
    // Half a character at the cut is dropped, too.
    const end = completeLength(head);
    const start = continuationLength(kept);
    const leftOut = head.length - end + dropped + start;
    return `${head.toString('utf8', 0, end)}\n[… ${leftOut} bytes left out …]\n${kept.toString('utf8', start)}`;
  }

  // Parts are copied, because a chunk would keep its whole underlying buffer alive.

  #keepHead(part: Buffer): void {
    this.#headBytes += part.length;
    this.#head.push(Buffer.from(part));
  }

  #keepTail(part: Buffer): void {
    this.#tail.push(Buffer.from(part));
    this.#tailBytes += part.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#half) {
      const dropped = this.#tail.shift()?.length ?? 0;
      this.#tailBytes -= dropped;
      this.#droppedBytes += dropped;
    }
  }
}
