import { StringDecoder } from 'node:string_decoder';

export interface CaptureOptions {
  /** Bytes kept in all: half from the start, half from the end. */
  limitBytes: number;
  /** Takes text as it comes, until the first half is full. */
  onText?: (text: string) => void;
}

/** Collects the output of a program: everything when it is short, else its start and its end with a marker between. */
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

  /** Everything that was kept; call it once, at the end. */
  finish(): string {
    const rest = this.#decoder.end();
    if (rest !== '') this.#head.push(rest);
    const tail = Buffer.concat(this.#tail);
    const kept = tail.subarray(Math.max(0, tail.length - this.#half));
    const dropped = this.#droppedBytes + tail.length - kept.length;
    const head = this.#head.join('');
    // A tail that starts inside a character loses that character.
    const start = dropped > 0 ? firstCharacter(kept) : 0;
    const end = kept.subarray(start).toString('utf8');
    return dropped === 0 ? head + end : `${head}\n[… ${dropped + start} bytes left out …]\n${end}`;
  }

  /** What of the end no live text has shown. */
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
    // A copy: the chunk itself belongs to a buffer that would stay alive as a whole.
    this.#tail.push(Buffer.from(part));
    this.#tailBytes += part.length;
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= this.#half) {
      const gone = this.#tail.shift()?.length ?? 0;
      this.#tailBytes -= gone;
      this.#droppedBytes += gone;
    }
  }
}

function firstCharacter(bytes: Buffer): number {
  let start = 0;
  while (start < bytes.length && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}
