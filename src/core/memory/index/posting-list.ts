/** The texts that contain a word, by ascending id, each with the weighted frequency of the word. Grows and is reused. */
export class PostingList {
  ids: Uint32Array = new Uint32Array(1024);
  frequencies: Uint32Array = new Uint32Array(1024);
  length = 0;

  push(id: number, frequency: number): void {
    const at = this.length;
    this.resize(at + 1);
    this.ids[at] = id;
    this.frequencies[at] = frequency;
  }

  /** Makes room; the caller sets what is new. */
  resize(length: number): void {
    this.length = length;
    const { ids, frequencies } = this;
    if (length <= ids.length) return;
    this.ids = new Uint32Array(2 * length);
    this.ids.set(ids);
    this.frequencies = new Uint32Array(2 * length);
    this.frequencies.set(frequencies);
  }
}

/** A term with its postings, valid until the next term is read. */
export interface TermPostings {
  hash: number;
  term: string;
  list: PostingList;
}

/** Bytes that grow as numbers and texts are appended. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(2 ** 15);
  length = 0;

  /** An unsigned number below 2^32 in groups of seven bits, lowest first. */
  number(value: number): void {
    if (this.length + 5 > this.#bytes.length) this.#grow(5);
    const bytes = this.#bytes;
    let rest = value;
    for (; rest > 127; rest >>>= 7) bytes[this.length++] = (rest & 127) | 128;
    bytes[this.length++] = rest;
  }

  text(text: string): void {
    const size = Buffer.byteLength(text);
    this.number(size);
    if (this.length + size > this.#bytes.length) this.#grow(size);
    this.length += this.#bytes.write(text, this.length, size, 'utf8');
  }

  append(other: Uint8Array): void {
    if (this.length + other.length > this.#bytes.length) this.#grow(other.length);
    this.#bytes.set(other, this.length);
    this.length += other.length;
  }

  /** Appends ids as differences; a frequency of 1, the most usual, takes one bit. */
  postings({ ids, frequencies, length }: PostingList): void {
    let last = 0;
    for (let at = 0; at < length; at++) {
      const id = ids[at] ?? 0;
      const frequency = frequencies[at] ?? 0;
      const step = id - last;
      last = id;
      // Two numbers where the bit would not fit.
      this.number(step >= 2 ** 30 ? 3 : step * 4 + (frequency === 1 ? 0 : 1));
      if (step >= 2 ** 30) this.number(step);
      if (frequency !== 1 || step >= 2 ** 30) this.number(frequency);
    }
  }

  /** Valid until the next call. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + by);
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` wrote. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  at = 0;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }

  /** The bytes of a text, without decoding it. */
  slice(): Uint8Array {
    const size = this.number();
    this.at += size;
    return this.#bytes.subarray(this.at - size, this.at);
  }

  /** Appends as many postings. */
  postings(into: PostingList, count: number): void {
    let to = into.length;
    into.resize(to + count);
    const { ids, frequencies } = into;
    const bytes = this.#bytes;
    let at = this.at;
    let last = 0;
    for (const end = to + count; to < end; to++) {
      // Most take one or two bytes, read here without a call.
      let head = bytes[at++] ?? 0;
      if (head > 127) {
        const next = bytes[at++] ?? 0;
        head = (head & 127) | ((next & 127) << 7);
        if (next > 127) {
          this.at = at - 2;
          head = this.number();
          at = this.at;
        }
      }
      this.at = at;
      last += (head & 3) === 3 ? this.number() : head >>> 2;
      ids[to] = last;
      frequencies[to] = (head & 3) === 0 ? 1 : this.number();
      at = this.at;
    }
  }
}
