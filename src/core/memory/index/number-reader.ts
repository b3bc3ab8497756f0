/** Reads lists of whole numbers with commas, as `group_concat` makes them: much faster than to split them. */
export class NumberReader {
  /** Used again and again: what is thrown away would take more memory than everything that is kept. */
  #room = new Uint32Array(1024);

  /** The numbers of a list, each below 2^32, until the next one is read. */
  read(text: unknown): Uint32Array {
    if (typeof text !== 'string') return this.#room.subarray(0, 0);
    // A number takes a digit and a comma at least.
    const most = (text.length + 1) >>> 1;
    if (this.#room.length < most) this.#room = new Uint32Array(2 * most);
    const numbers = this.#room;
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
