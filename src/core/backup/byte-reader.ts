import { damaged } from './damaged.ts';

/** Reads a stream in pieces of known sizes; throws where it ends too early. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes, in one piece. */
  async take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.pass(bytes)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The next bytes as they come. */
  async *pass(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0;) {
      if (this.#buffer.length === 0 && !(await this.#fill())) throw damaged('it ends too early');
      const part = this.#buffer.subarray(0, left);
      this.#buffer = this.#buffer.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** All that follows, which must not be more than `max` bytes. */
  async rest(max: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let bytes = 0; this.#buffer.length > 0 || (await this.#fill());) {
      parts.push(this.#buffer);
      bytes += this.#buffer.length;
      this.#buffer = Buffer.alloc(0);
      if (bytes > max) throw damaged('something follows its end');
    }
    return Buffer.concat(parts);
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.#buffer = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return this.#buffer.length > 0 || this.#fill();
  }
}
