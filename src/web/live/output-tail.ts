import type { OutputName, OutputPiece } from '../../contract/task-output.ts';

/** Reads a stream of the output from a byte to its present end. */
export type ReadOutput = (
  stream: OutputName,
  offset: number,
  signal: AbortSignal,
) => AsyncIterable<Uint8Array>;

/** What is read at once of the rest of an output; who wants more shows the whole stream. */
export const MOST_AT_ONCE = 8 * 1024 * 1024;

interface Tail {
  /** The bytes that were added. */
  offset: number;
  decoder: InstanceType<typeof TextDecoder>;
  isReading: boolean;
  /** Whether more may be there than what is being read. */
  isBehind: boolean;
  /** Whether too much is there to go on. */
  isCut: boolean;
}

/**
 * The rest of the streams whose events stop, because a command printed much: what the feed brings, and read by range where
 * it left something out. Each byte is added once, in order.
 */
export class OutputTail {
  readonly #read: ReadOutput;
  readonly #add: (stream: OutputName, text: string) => void;
  readonly #onGap: () => void;
  #tails = new Map<OutputName, Tail>();
  #stopped = new AbortController();

  constructor(read: ReadOutput, add: (stream: OutputName, text: string) => void, onGap: () => void) {
    this.#read = read;
    this.#add = add;
    this.#onGap = onGap;
  }

  /** Whether there is more than what was added, which only the whole stream shows. */
  get isCut(): boolean {
    return [...this.#tails.values()].some(({ isCut }) => isCut);
  }

  /** The events of this stream stop at this byte. */
  begin(stream: OutputName, offset: number): void {
    this.#tails.set(stream, {
      offset,
      decoder: new TextDecoder(),
      isReading: false,
      isBehind: true,
      isCut: false,
    });
  }

  /** Another attempt writes anew, or nobody looks any more. */
  stop(): void {
    this.#stopped.abort();
    this.#stopped = new AbortController();
    this.#tails = new Map();
  }

  /** Takes a piece of the feed. Rejects where what it left out cannot be read. */
  async take({ stream, offset, bytes, text }: OutputPiece): Promise<void> {
    const tail = this.#tails.get(stream);
    if (!tail || offset + bytes <= tail.offset) return;
    if (tail.isCut && offset > tail.offset) {
      // Who follows so much wants its end.
      this.#onGap();
      tail.offset = offset;
    }
    if (!tail.isReading && offset === tail.offset) {
      tail.offset += bytes;
      this.#add(stream, text);
    } else {
      tail.isBehind = true;
      await this.#catchUp(stream, tail);
    }
  }

  /** Reads what is there of all streams that may have more. */
  async catchUp(): Promise<void> {
    for (const tail of this.#tails.values()) tail.isBehind = true;
    await Promise.all([...this.#tails].map(([stream, tail]) => this.#catchUp(stream, tail)));
  }

  async #catchUp(stream: OutputName, tail: Tail): Promise<void> {
    if (tail.isReading || tail.isCut) return;
    tail.isReading = true;
    const { signal } = this.#stopped;
    try {
      while (tail.isBehind && !signal.aborted) {
        tail.isBehind = false;
        const most = tail.offset + MOST_AT_ONCE;
        for await (const bytes of this.#read(stream, tail.offset, signal)) {
          if (signal.aborted) return;
          tail.offset += bytes.length;
          this.#add(stream, tail.decoder.decode(bytes, { stream: true }));
          if (tail.offset < most) continue;
          tail.isCut = true;
          return;
        }
      }
    } catch (error) {
      tail.isBehind = true;
      if (!signal.aborted) throw error;
    } finally {
      tail.isReading = false;
    }
  }
}
