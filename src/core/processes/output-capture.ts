import { StringDecoder } from 'node:string_decoder';

export interface CaptureOptions {
  /** The total of bytes that are kept: half from the start, half from the end. */
  limitBytes: number;
  /** Receives text as it arrives, until the first half is full. */
  onText?: (text: string) => void;
}

/** Collects the output of a program: all of it if it is short, otherwise its start and end with a marker between. */
export class OutputCapture {
  readonly #half: number;
  readonly #onText: (text: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  readonly #head: string[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #droppedBytes = 0;

  constructor({ limitBytes, onText = () => undefined }: CaptureOptions) {
    this.#half = Math.floor(limitBytes / 2);
    this.#onText = onText;
  }

  push(chunk: Buffer): void {
    const room = this.#half - this.#headBytes;
    if (room > 0) this.#keepHead(chunk.subarray(0, room));
    if (chunk.length > room) this.#keepTail(chunk.subarray(Math.max(0, room)));
  }

  /** Returns everything that was kept; call it once, at the end. */
  finish(): string {
    const rest = this.#decoder.end();
    if (rest !== '') this.#head.push(rest);
    const tail = Buffer.concat(this.#tail);
    const kept = tail.subarray(Math.max(0, tail.length - this.#half));
    const dropped = this.#droppedBytes + tail.length - kept.length;
    const head = this.#head.join('');
    // The tail may start in the middle of a UTF-8 character, which is dropped.
    const start = dropped > 0 ? firstCharacter(kept) : 0;
    const end = kept.subarray(start).toString('utf8');
    return dropped === 0 ? head + end : `${head}\n[… ${dropped + start} bytes left out …]\n${end}`;
  }

  /** Whether the output has a tail that `onText` did not receive. */
  get hasTail(): boolean {
    return this.#tailBytes > 0;
  }

  #keepHead(part: Buffer): void {
    this.#headBytes += part.length;
    const text = this.#decoder.write(part);
    if (text === '') return;
    this.#head.push(text);
    this.#onText(text);
  }

  #keepTail(part: Buffer): void {
    // Copied, because the chunk would keep its whole underlying buffer alive.
    this.#tail.push(Buffer.from(part));
    this.#tailBytes += part.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#half) {
      const dropped = this.#tail.shift()?.length ?? 0;
      this.#tailBytes -= dropped;
      this.#droppedBytes += dropped;
    }
  }
}

function firstCharacter(bytes: Buffer): number {
  let start = 0;
  while (start < bytes.length && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}
