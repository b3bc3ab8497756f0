const FIRST_SIZE = 16 * 1024;

/** Writes bytes from the last to the first, so that the length of a part is known when its header is written. */
export class BackwardWriter {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #start = FIRST_SIZE;

  /** How many bytes are written. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(this.#start);
  }

  /** A safe integer: seven bits per byte, the lowest first; the high bit is set on all but the last. */
  varint(value: number): void {
    if (value < 0) return this.#negative(value);
    let size = 1;
    for (let rest = value; rest >= 0x80; rest /= 0x80) size++;
    this.#claim(size);
    let at = this.#start;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[at++] = (rest % 0x80) | 0x80;
    this.#buffer[at] = rest;
  }

  fixed32(value: number): void {
    this.#claim(4);
    this.#buffer.writeUInt32LE(value, this.#start);
  }

  fixed64(value: bigint): void {
    this.#claim(8);
    this.#buffer.writeBigUInt64LE(value, this.#start);
  }

  double(value: number): void {
    this.#claim(8);
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  text(value: string, encoding: 'utf8' | 'hex'): void {
    this.#claim(Buffer.byteLength(value, encoding));
    this.#buffer.write(value, this.#start, encoding);
  }

  /** The two's complement of 64 bits, which takes ten bytes. */
  #negative(value: number): void {
    this.#claim(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (let at = this.#start; at < this.#start + 9; at++, rest >>= 7n)
      this.#buffer[at] = Number(rest & 0x7fn) | 0x80;
    this.#buffer[this.#start + 9] = Number(rest);
  }

  /** Makes room in front of what is written; the buffer may be another one afterwards. */
  #claim(size: number): void {
    if (this.#start < size) {
      const larger = Buffer.allocUnsafe(2 * (this.#buffer.length + size));
      const start = larger.length - this.length;
      this.#buffer.copy(larger, start, this.#start);
      [this.#buffer, this.#start] = [larger, start];
    }
    this.#start -= size;
  }
}
