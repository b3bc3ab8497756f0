const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
/** The depth of a task in the document: it is in a list of the outermost object. */
const TASKS = 2;
/** The head is shorter, and comes with the first piece. */
const HEAD_BYTES = 300;

/** Counts the tasks of an export while it is received, without keeping or parsing it. */
export class ExportCounter {
  /** How many tasks are there as a whole. */
  done = 0;
  /** How many it will have, by its head; 0 if that does not say. */
  total = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isFirst = true;

  add(piece: Uint8Array): void {
    if (this.#isFirst) this.total = countOf(piece);
    this.#isFirst = false;
    for (const byte of piece) {
      if (this.#isText) this.#readText(byte);
      else if (byte === QUOTE) this.#isText = true;
      else if (OPEN.has(byte)) this.#depth++;
      else if (CLOSE.has(byte) && --this.#depth === TASKS) this.done++;
    }
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }
}

function countOf(piece: Uint8Array): number {
  const head = Buffer.from(piece.subarray(0, HEAD_BYTES)).toString('latin1');
  return Number(/"taskCount":(\d+)/.exec(head)?.[1] ?? 0);
}
