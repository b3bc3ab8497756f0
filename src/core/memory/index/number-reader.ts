/** Parses comma-separated integers, as `group_concat` returns them, much faster than `split`. */
export class NumberReader {
  /** Reused, because temporary arrays would take more memory than everything that is kept. */
  #buffer = new Uint32Array(1024);

  /** Parses integers below 2^32. The result is valid until the next call. */
  read(text: unknown): Uint32Array {
    if (typeof text !== 'string') return this.#buffer.subarray(0, 0);
    // Each number takes at least a digit and a comma.
    const most = (text.length + 1) >>> 1;
    if (this.#buffer.length < most) this.#buffer = new Uint32Array(2 * most);
    const numbers = this.#buffer;
    let count = 0;
    for (let at = 0; at < text.length; at++) {
      let number = 0;
      for (let code = text.charCodeAt(at); code >= 48; code = text.charCodeAt(++at))
        number = number * 10 + code - 48;
      numbers[count++] = number;
    }
    return numbers.subarray(0, count);
  }
}
